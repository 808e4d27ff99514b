"""Parts of the engine without Spark: touched partitions, places to write, settings that wait, broken constraints."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from deltasql.base.errors import (
    CheckViolationError,
    ExceedLengthError,
    NotNullViolationError,
    ReplaceWhereMismatchError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.engines.spark.failures import Failure, WriteContext, cast_error, marked_error
from deltasql.engines.spark.reading.source_rows import _guard
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files.writing.arrow_files import Staged, StagedFile
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.plan import base
from deltasql.plan.operators import Constraint
from deltasql.planner.alignment import length_checks
from deltasql.schema.types import LONG, STRING, TIMESTAMP, StructField, StructType
from deltasql.session.execution.row_change import _overwritten


def added(path: str, values: dict[str, str | None]) -> AddFile:
    return AddFile(path, values, 1, 1, True, '{"numRecords":1}')


@pytest.mark.parametrize("physical", ["p", "col-1"])
def test_partitions_are_compared_by_type_and_found_by_physical_name(tmp_path: Path, physical: str) -> None:
    mapping = {"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": physical}
    mapped = physical != "p"
    schema = StructType((StructField("x", LONG), StructField("p", TIMESTAMP, metadata=mapping if mapped else {})))
    configuration = {"delta.columnMapping.mode": "name"} if mapped else {}
    log = DeltaLog(str(tmp_path / "t"))
    metadata = Metadata("id", schema, ("p",), configuration)
    old = [
        added("same", {physical: "2024-01-31 12:00:00Z"}),
        added("other", {physical: "2024-01-31T13:00:00.000000Z"}),
        added("null", {physical: None}),
    ]
    Transaction(log, None).commit(
        operations.CREATE_TABLE, {}, [Protocol(2, 5) if mapped else Protocol(1, 2), metadata, *old]
    )
    new = added("new", {physical: "2024-01-31T12:00:00.000000Z"})
    staged = Staged((StagedFile(new, 1, None, "new"),))
    removed, reads = _overwritten(log.snapshot(), staged, keeps_null=False)
    assert removed.column("path").to_pylist() == ["same"]
    assert reads.files == ("same",)
    assert reads.matches is not None
    assert reads.matches({physical: "2024-01-31T12:00:00.000Z"})
    assert not reads.matches({physical: None})
    unnamed = Staged((StagedFile(added("unnamed", {physical: None}), 1, None, "unnamed"),))
    assert _overwritten(log.snapshot(), unnamed, keeps_null=False)[0].column("path").to_pylist() == ["null"]
    assert _overwritten(log.snapshot(), unnamed, keeps_null=True)[0].num_rows == 0


class FakeConf:
    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def set(self, key: str, value: str) -> None:
        if value == "bad":
            raise ValueError(key)
        self.values[key] = value


def test_a_setting_that_spark_refuses_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        conf = FakeConf()

    handle = SparkHandle(None)
    for key, value in (("a", "1"), ("b", "bad"), ("c", "3")):
        handle.settings.set(key, value)
    monkeypatch.setattr(handle, "_local", Session)
    with pytest.raises(ValueError, match="b"):
        _ = handle.session
    # A session that is there has all the settings that it takes.
    assert handle.started
    session = cast(Any, handle.session)
    assert session.conf.values == {"a": "1", "c": "3"}


@pytest.mark.parametrize("name", ["plain", "a|b", "50% 'x'", "größe"])
def test_a_broken_constraint_is_found_by_its_name(name: str) -> None:
    check = Constraint(name, "x > 1")
    error = _raised(check, '{"x":1}')
    assert isinstance(error, CheckViolationError)
    assert (error.constraint, error.values) == (name, "x = 1")
    not_null = _raised(Constraint(name, "x IS NOT NULL", "x"), '{"x":null}')
    assert isinstance(not_null, NotNullViolationError)
    assert (not_null.column, not_null.table) == ("x", "t")


def _raised(check: Constraint, row: str) -> DeltaSqlError | None:
    """The error for a row that breaks `check`, out of what its guard raises."""
    text = f"[USER_RAISED_EXCEPTION] {_guard(check, {'x': 'x'}).split(chr(39))[1]}|{row} SQLSTATE: P0001"
    return marked_error(Failure("USER_RAISED_EXCEPTION", "P0001", text, {}), WriteContext("t"), "")


def test_failed_casts_name_every_column_that_they_may_be_of() -> None:
    overflow = Failure("CAST_OVERFLOW", "22003", "", {"targetType": '"TINYINT"', "sourceType": '"INT"', "value": "300"})
    values = (("a", "CAST(x AS TINYINT)"), ("b", "CAST(NULL AS TINYINT)"), ("c", "struct(CAST(y AS TINYINT))"))
    error = cast_error(overflow, WriteContext("t", values), "UPDATE t SET a = 300")
    assert error is not None
    assert "does not fit column a or c of t, which is TINYINT: 300." in str(error)
    assert error.caret is not None
    assert cast_error(overflow, WriteContext("t", (("a", "x"),)), "") is None
    assert cast_error(Failure("DIVIDE_BY_ZERO", "22012", "", {}), WriteContext("t", values), "") is None


def test_marks_in_a_plan_that_spark_prints_are_nothing() -> None:
    plan = "coalesce(try_cast(a), cast(raise_error(concat(DELTASQL_CAST|d|DATE|, typeof(a#1), |, cast(a#1 as string)"
    assert marked_error(Failure("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09", plan, {}), None, "") is None


def test_broken_constraints_of_our_own() -> None:
    column = StructField("a|b c", STRING, metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"})
    (length,) = length_checks(column)
    for check, row, kind in (
        (length, '{"a|b c":"four"}', ExceedLengthError),
        (Constraint(base.REPLACE_WHERE, "x > 1"), '{"x":1}', ReplaceWhereMismatchError),
    ):
        error = _raised(check, row)
        assert isinstance(error, kind)
        if isinstance(error, ExceedLengthError):
            assert (error.column, error.limit) == ("`a|b c`", 3)
