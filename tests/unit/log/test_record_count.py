"""How many rows a file has, from statistics that may be damaged."""

from __future__ import annotations

import pytest

from deltasql.log.actions.actions import record_count


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        ('{"numRecords":3}', 3),
        ('{"minValues":{},"numRecords":3}', 3),
        ("", None),
        ("text", None),
        ("[1]", None),
        ("null", None),
        ("[" * 5000, None),
        ('{"minValues":{},"numRecords":true}', None),
    ],
)
def test_statistics_that_tell_no_number(stats: str, expected: int | None) -> None:
    assert record_count(stats) == expected
