"""SQLAlchemy's plugin of pytest, with our dialect."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects import registry

for name in ("deltasql", "deltasql.dbapi"):
    registry.register(name, "deltasql.integrations.sqlalchemy.dialect", "DeltaSqlDialect")

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403
