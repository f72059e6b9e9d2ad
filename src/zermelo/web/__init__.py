"""The web: an HTTP API with the shape of the public tablebase service, and pages for people."""
