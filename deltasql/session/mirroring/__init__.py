"""External catalogs of a session: their configuration, and the schemas that a metastore mirrors after a commit.

Their stores of names, and what a server is asked, belong to `catalog.external`.
"""
