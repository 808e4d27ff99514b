"""The public suite of PEP 249, whole, on the tables of a new warehouse."""

from __future__ import annotations

import shutil
import tempfile
from typing import Any

import dbapi20
import pytest

from deltasql.clients import dbapi

pytestmark = pytest.mark.spark


class TestDbApi(dbapi20.DatabaseAPI20Test):  # type: ignore[misc]
    """Its tests, but for those of optional parts: `callproc`, `nextset`, and a `close` that raises the second time."""

    driver: Any = dbapi

    def setUp(self) -> None:
        self.warehouse = tempfile.mkdtemp(prefix="deltasql-dbapi20-")
        self.connect_args = (self.warehouse,)

    def tearDown(self) -> None:
        shutil.rmtree(self.warehouse)

    def test_non_idempotent_close(self) -> None:
        """PEP 249 lets a driver choose; this one closes twice."""
        connection = self._connect()
        connection.close()
        connection.close()

    def test_nextset(self) -> None:
        """An optional part, which is not there."""
        assert not hasattr(self._connect().cursor(), "nextset")

    def test_setoutputsize(self) -> None:
        """It does nothing, which is allowed."""
        self._connect().cursor().setoutputsize(1000, 0)
