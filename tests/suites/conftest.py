"""The suite of dbt is collected only where dbt is installed: see `python -m tests.suites`."""

from __future__ import annotations

from importlib.util import find_spec


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


collect_ignore = [] if _is_installed("dbt.adapters.base") else ["dbt"]
