"""Endgame tables: the distance to mate of every position of a material."""
