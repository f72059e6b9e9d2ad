"""Any finite two-player game on a graph: values, distances, strategies and their proofs."""
