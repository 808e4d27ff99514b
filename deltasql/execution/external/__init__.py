"""External catalogs of a session: their configuration, and the schemas that they mirror after a commit."""
