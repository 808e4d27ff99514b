"""The texts of errors: numbers of things."""

from __future__ import annotations

import pytest

from deltasql.base.errors import ChangeArgumentCountError, TooFewInsertColumnsError, TooManyInsertColumnsError
from deltasql.base.errors.base import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (11, "11 files")])
def test_one_thing_is_no_plural(number: int, text: str) -> None:
    assert counted(number, "files") == text


def test_numbers_in_messages() -> None:
    assert TooManyInsertColumnsError("t", 1, ("a",), 2).message.startswith("t takes 1 column (a), and")
    assert TooFewInsertColumnsError("t", 2, ("a", "b"), 1).message.startswith("t needs 2 columns (a, b), and")
    assert "not 1 argument: " in ChangeArgumentCountError("table_changes", 1).message
