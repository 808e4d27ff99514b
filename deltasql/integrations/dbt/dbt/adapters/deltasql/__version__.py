"""The version that `dbt --version` tells."""

from deltasql.version import __version__ as version

__all__ = ["version"]
