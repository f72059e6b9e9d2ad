"""Perfect play for people and programs: a UCI engine, and a trainer."""
