"""An engine of SQLAlchemy over a warehouse of the test; nothing here needs Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.dialects import registry

# As the entry points do, whatever was installed when this checkout was.
for name in ("deltasql", "deltasql.clients.dbapi"):
    registry.register(name, "deltasql.clients.sqlalchemy.dialect", "DeltaSqlDialect")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = create_engine(f"deltasql:///{tmp_path / 'warehouse'}")
    yield made
    made.dispose()
