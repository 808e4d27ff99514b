"""The suites of dbt are collected only where dbt is installed: see `python -m tests.suites`."""

from __future__ import annotations

from importlib.util import find_spec


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


_NEEDED = {"dbt": "dbt.adapters.base", "dbt_databricks": "dbt.adapters.databricks"}
collect_ignore = [folder for folder, package in _NEEDED.items() if not _is_installed(package)]
