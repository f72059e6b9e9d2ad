"""Mate problems: search, solution, soundness, notation."""
