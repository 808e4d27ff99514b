"""The dialect `deltasql://` of SQLAlchemy 2, over `deltasql.clients.dbapi`: URL, types, compiler and reflection.

`create_engine` finds it by its entry point. How statements run is not told here, and no table is read.

>>> from sqlalchemy import create_engine, inspect
>>> inspect(create_engine("deltasql:///warehouse")).get_schema_names()
['default']
"""

from deltasql.clients.sqlalchemy.dialect import DeltaSqlDialect
from deltasql.clients.sqlalchemy.types import (
    ARRAY,
    MAP,
    STRING,
    STRUCT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
)

__all__ = [
    "ARRAY",
    "MAP",
    "STRING",
    "STRUCT",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "TINYINT",
    "VARIANT",
    "DeltaSqlDialect",
]
