"""``python -m zermelo``."""

import sys

from zermelo.cli import program

sys.exit(program())
