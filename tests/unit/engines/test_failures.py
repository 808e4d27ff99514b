"""What Spark says, without the names that deltasql made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base.errors import EngineLostError, FilesNotSharedError, SparkError
from deltasql.engines.spark.failures import (
    Failure,
    WriteContext,
    _bridge_failure,
    _sentence,
    translated,
    translated_errors,
)
from deltasql.engines.spark.session.local import _heap_of


def _raised_in(module: str, error: Exception) -> Exception:
    """The error, raised by code of a module of that name."""
    scope: dict[str, object] = {"__name__": module, "error": error}
    exec("def fail():\n    raise error", scope)
    try:
        scope["fail"]()  # type: ignore[operator]
    except Exception as raised:
        return raised
    raise AssertionError


class Py4JNetworkError(Exception):
    """Stands for Py4J's own."""


Py4JNetworkError.__module__ = "py4j.protocol"


@pytest.mark.parametrize(
    "error",
    [
        _raised_in("py4j.clientserver", ConnectionRefusedError(111, "Connection refused")),
        Py4JNetworkError("Answer from Java side is empty"),
    ],
)
def test_a_jvm_that_is_gone(error: Exception) -> None:
    with pytest.raises(EngineLostError, match="--driver-memory"), translated_errors(""):
        raise error


def test_other_broken_connections_are_not_taken_for_a_jvm() -> None:
    with pytest.raises(ConnectionRefusedError), translated_errors(""):
        raise _raised_in("urllib.request", ConnectionRefusedError())


@pytest.mark.parametrize("available", [1 << 30, 4 << 30, 1 << 40])
def test_the_heap_is_a_part_of_the_memory(available: int) -> None:
    assert _heap_of(available) <= min(available // 2, 4 << 30)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no column `x`, did you mean `a`, `__deltasql_file`", "no column `x`, did you mean `a`"),
        ("use [`__deltasql_rows`.`id`]", "use [`id`]"),
        ("not in WHERE: __deltasql_rows.id", "not in WHERE: id"),
        ("struct(a, __deltasql_file, __deltasql_row)", "struct(a)"),
        ("STRUCT<a: INT, __deltasql_file: STRING NOT NULL>", "STRUCT<a: INT>"),
        ('cannot cast "CAST(__x0 AS INT)"', 'cannot cast "CAST(value AS INT)"'),
        ("outside of SELECT, found: 'Filter CASE WHEN explode(a) THEN DELTASQL_CONSTRAINT|x", "outside of SELECT"),
    ],
)
def test_hidden_names_are_left_out(text: str, told: str) -> None:
    assert _sentence(f"[SOME] {text} SQLSTATE: 42000", "SOME") == told


def test_a_condition_in_a_case_of_ours() -> None:
    values = {"inputSql": '"struct(a, __deltasql_row)"', "inputType": '"STRUCT<a: INT>"', "sqlExpr": '"CASE WHEN x'}
    failure = Failure("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09", "", values)
    error = translated(failure, "", WriteContext("t"))
    assert error.message == 'The condition "struct(a)" is of type "STRUCT<a: INT>", not BOOLEAN.'


READ = "Encountered error while reading file {}. File does not exist. It is possible that files have been updated."


@pytest.mark.parametrize("spelled", ["file://{}", "file:{}"])
def test_a_file_that_is_here_and_not_there(tmp_path: Path, spelled: str) -> None:
    path = tmp_path / "a b.parquet"
    told = spelled.format(path).replace(" ", "%20")
    gone = Failure("FAILED_READ_FILE.FILE_NOT_EXIST", "XX000", READ.format(told), {"path": told})
    assert isinstance(translated(gone, "", None), SparkError)
    path.touch()
    for values in ({"path": told}, {}):
        error = translated(Failure(gone.condition, gone.state, gone.text, values), "", None)
        assert isinstance(error, FilesNotSharedError)
        assert (error.doing, error.location) == ("read", str(path))
    # The other condition tells a path, which Spark has not encoded.
    plain = f"file:{path}"
    error = translated(Failure("PATH_NOT_FOUND", "42K03", f"Path does not exist: {plain}.", {"path": plain}), "", None)
    assert isinstance(error, FilesNotSharedError)


def test_a_folder_that_can_be_made_here_and_not_there(tmp_path: Path) -> None:
    text = "java.io.IOException: Mkdirs failed to create file:{}/_temporary/0/x (exists=false, cwd=file:/w)"
    error = translated(Failure("SPARK_ERROR", "XX000", text.format(tmp_path / "t/f"), {}), "", None)
    assert isinstance(error, FilesNotSharedError)
    assert (error.doing, error.location) == ("write", str(tmp_path / "t/f"))
    (tmp_path / "t").touch()
    assert isinstance(
        translated(Failure("SPARK_ERROR", "XX000", text.format(tmp_path / "t/f"), {}), "", None), SparkError
    )


def test_what_the_bridge_says_first_is_left_out() -> None:
    text = "An error occurred while calling o98.parquet.\n: org.apache.spark.SparkException: Job aborted.\n\tat a.b(C)"
    assert translated(_bridge_failure(text), "", None).message == "Job aborted."
