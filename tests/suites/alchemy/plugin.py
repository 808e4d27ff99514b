"""SQLAlchemy's plugin of pytest, with our dialect, without the tests that do not apply."""

from __future__ import annotations

import os

import pytest
from sqlalchemy.dialects import registry

from tests.samples import draws
from tests.suites.alchemy.left_out import reason

for name in ("deltasql", "deltasql.clients.dbapi"):
    registry.register(name, "tests.suites.alchemy.dialect", "SuiteDialect")

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin import pytestplugin  # noqa: E402
from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403

SHARES = 12


def pytest_collection_modifyitems(  # type: ignore[no-redef]
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """SQLAlchemy's own choice, then ours: with DELTASQL_SUITES_SAMPLE a share of the classes."""
    pytestplugin.pytest_collection_modifyitems(session, config, items)
    is_sample = bool(os.environ.get("DELTASQL_SUITES_SAMPLE"))
    left_out = [
        item for item in items if reason(item.nodeid) or (is_sample and not draws(item.nodeid.split("::")[1], SHARES))
    ]
    config.hook.pytest_deselected(items=left_out)
    chosen = set(left_out)
    items[:] = [item for item in items if item not in chosen]
