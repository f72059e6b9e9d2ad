"""Settings of all tests."""

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline can allow for.
settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")
