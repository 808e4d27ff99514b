"""Names to table locations: `catalog` says what names mean, a `store` keeps them, in SQLite or in objects.

Schema and properties of a table always come from its `_delta_log`, never from here.
"""

from deltasql.catalog.catalog import Catalog
from deltasql.catalog.governance import DEFAULT_CATALOG, DEFAULT_SCHEMA, SchemaEntry, TableEntry

__all__ = ["DEFAULT_CATALOG", "DEFAULT_SCHEMA", "Catalog", "SchemaEntry", "TableEntry"]
