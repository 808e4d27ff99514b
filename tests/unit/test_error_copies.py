"""Errors that pass from one process to another, or through copy."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields

import pytest

from deltasql.base import errors
from deltasql.base.errors import SparkError, UnknownDirectiveError, conditions
from deltasql.base.errors.base import Caret, DeltaSqlError


def same(left: DeltaSqlError, right: DeltaSqlError) -> bool:
    return (type(left), str(left), left.args, vars(left)) == (type(right), str(right), right.args, vars(right))


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
@pytest.mark.parametrize(
    "error",
    [
        UnknownDirectiveError(file="a.sql", line=3, text="-- shedule: x", known=("name", "log")),
        UnknownDirectiveError("a.sql", 3, "-- shedule: x", ("name", "log")),
        SparkError("DIVIDE_BY_ZERO", "22012", "Division by zero.", "at Some.java"),
        UnknownDirectiveError("a.sql", 3, "x", ()).at(Caret("SELECT x", 7, 8)),
    ],
)
def test_an_error_is_the_same_in_another_process(error: DeltaSqlError, protocol: int) -> None:
    assert same(pickle.loads(pickle.dumps(error, protocol)), error)
    assert same(copy.copy(error), error)


def test_every_class_of_errors_can_be_sent() -> None:
    every = [found for found in (getattr(errors, name) for name in conditions.names()) if found.template]
    assert len(every) > 100
    for found in every:
        error = found.__new__(found)
        for item in fields(error):
            setattr(error, item.name, ("value",))
        assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
