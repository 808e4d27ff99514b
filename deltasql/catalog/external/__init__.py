"""External catalogs: their configuration, their stores of names, and which store has which catalog.

A store implements `CatalogStore` for its one catalog; each type has a module or a folder. What names mean, and the
current schema, are in `catalog.names`, for all stores.
"""
