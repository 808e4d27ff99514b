"""Identity columns: which numbers are free, and how far a mark goes."""

from __future__ import annotations

import pytest

from deltasql.schema.checks import Identity, identities, identity_of, with_identities
from deltasql.schema.types import LONG, StructField, StructType

LOWEST, HIGHEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("start", "step", "mark", "expected"),
    [
        (1, 1, None, 1),
        (1, 1, 7, 8),
        (100, -10, 80, 70),
        (5, 3, 6, 8),  # a mark between two numbers, by another writer
        (5, 3, -100, 5),  # and one before the start
        (100, -10, 85, 80),
        (HIGHEST, 1, HIGHEST, HIGHEST + 1),
    ],
)
def test_the_next_number(start: int, step: int, mark: int | None, expected: int) -> None:
    assert Identity(start, step, False, mark).next_value == expected


@pytest.mark.parametrize(
    ("start", "step", "mark", "value", "expected"),
    [
        (1, 1, None, 5, 5),
        (1, 1, 9, 5, 9),
        (1, 1, None, None, None),
        (1, 1, None, 0, None),
        (5, 3, None, 6, 8),
        (100, -10, 80, 55, 50),
        (100, -10, 80, 200, 80),
        (100, -10, None, 50, 50),
    ],
)
def test_a_mark_covers_what_is_used(
    start: int, step: int, mark: int | None, value: int | None, expected: int | None
) -> None:
    identity = Identity(start, step, True, mark).covering(value)
    assert identity.high_water_mark == expected
    if value is not None and (value - start) * step >= 0:
        assert (identity.next_value - value) * step > 0


def test_numbers_end() -> None:
    assert Identity(HIGHEST - 1, 1, False).left == 2
    assert Identity(HIGHEST - 1, 5, False).left == 1
    assert Identity(LOWEST, -1, False).left == 1
    assert Identity(HIGHEST, 1, False, HIGHEST).left == 0
    assert Identity(LOWEST, -7, False, LOWEST).left == 0


def test_metadata_of_columns() -> None:
    plain = StructField("a", LONG)
    identity = Identity(5, -3, True)
    schema = StructType((plain, StructField("id", LONG, metadata={"comment": "c", **identity.metadata()})))
    assert identity_of(plain) is None
    assert identities(schema) == {"id": identity}
    raised = with_identities(schema, {"id": identity.covering(-1)})
    assert raised.fields[0] == plain
    assert raised.fields[1].metadata["delta.identity.highWaterMark"] == -1
    assert raised.fields[1].comment == "c"
