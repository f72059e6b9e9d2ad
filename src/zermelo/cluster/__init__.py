"""The same work on a Ray cluster. Ray is an extra and is imported only when it is asked for."""
