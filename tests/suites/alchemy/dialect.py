"""The dialect as the suite drives it: SQLAlchemy loads `provision.py`, which is beside it."""

from __future__ import annotations

from deltasql.clients.sqlalchemy.dialect import DeltaSqlDialect


class SuiteDialect(DeltaSqlDialect):
    """The dialect itself."""

    supports_statement_cache = True
