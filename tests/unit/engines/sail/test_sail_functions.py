"""The table of calls that were compared with Spark's: which types and texts of arguments it takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.engines.sail.guards.guards import is_compared, type_classes
from deltasql.schema.types import (
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    StructField,
    StructType,
)


def _argument(text: str, kind: DataType | None = None) -> tuple[str, Callable[[], DataType | None]]:
    return text, lambda: kind


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("UPPER", [("a", STRING)]),
        ("LENGTH", [("a", STRING)]),
        ("ROUND", [("a", DOUBLE), ("2", None)]),
        ("COUNT", [("*", None)]),
        ("COUNT", [("a", DATE)]),
        ("DATE_FORMAT", [("d", DATE), ("'yyyy-MM'", None)]),
        ("DATE_FORMAT", [("d", TIMESTAMP), ("'dd/MM/yyyy HH:mm'", None)]),
        ("COALESCE", [("a", INTEGER), ("b", INTEGER), ("c", INTEGER), ("0", INTEGER)]),
        ("MY_FUNCTION", [("a", STRING)]),
        ("CAST", [("a AS INT", None)]),
        ("CURRENT_DATE", []),
    ],
)
def test_runs(name: str, arguments: list[tuple[str, DataType | None]]) -> None:
    assert is_compared(name, [_argument(*argument) for argument in arguments], ansi=True)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("UPPER", [("a", None)]),
        ("UPPER", [("a", DATE)]),
        ("UPPER", []),
        ("UPPER", [("a", STRING), ("b", STRING)]),
        ("ROUND", [("a", DOUBLE), ("b", INTEGER)]),
        ("DATE_FORMAT", [("d", DATE), ("'GGGG'", None)]),
        ("DATE_FORMAT", [("d", DATE), ("f", STRING)]),
        ("BROUND", [("a", DOUBLE), ("2", None)]),
        ("TO_AVRO", [("a", STRING)]),
    ],
)
def test_was_not_compared(name: str, arguments: list[tuple[str, DataType | None]]) -> None:
    assert not is_compared(name, [_argument(*argument) for argument in arguments], ansi=True)


def test_names_of_types() -> None:
    rows = StructType((StructField("x", INTEGER),))
    assert type_classes(DecimalType(12, 3)) == ("DECIMAL",)
    assert type_classes(ArrayType(rows)) == ("ARRAY<STRUCT>", "ARRAY")
    assert type_classes(ArrayType(INTEGER)) == ("ARRAY<INT>", "ARRAY")
