"""Fixtures of the planner's tests; see lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.session.session import Session
from tests.unit.planner.clones import Files
from tests.unit.planner.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path / "warehouse")
    yield made
    made.catalog.close()


@pytest.fixture
def fails(lab: Lab) -> Callable[..., Any]:
    """Plans a statement that must fail with a class of error; the error. `at` is the text under its caret."""

    def failing(sql: str, kind: type[Exception], at: str | None = None) -> Any:
        with pytest.raises(kind) as caught:
            lab.plan(sql)
        error: Any = caught.value
        assert str(error).startswith(f"[{error.condition}]")
        if at is not None:
            assert error.caret is not None
            assert error.caret.sql[error.caret.start : error.caret.end] == at
        return error

    return failing


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return deltasql.connect(str(tmp_path / "warehouse"))


@pytest.fixture
def files(session: Session) -> Files:
    return Files(session)
