"""The version that `dbt --version` shows."""

from deltasql.base.version import __version__ as version

__all__ = ["version"]
