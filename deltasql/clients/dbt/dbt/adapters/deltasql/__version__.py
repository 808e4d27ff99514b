"""The version that `dbt --version` shows."""

from deltasql.base import __version__ as version

__all__ = ["version"]
