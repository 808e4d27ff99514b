"""The version that `dbt --version` shows."""

from deltasql.version import __version__ as version

__all__ = ["version"]
