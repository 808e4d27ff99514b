"""Points in time as users write them."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from deltasql.base.errors import TimestampInvalidError
from deltasql.sql.constants import timestamp_of


def nothing(_: str) -> None:
    """The value of every expression that must be asked for."""


def micros(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=timezone.utc).timestamp() * 1_000_000)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'2024-01-31'", micros(2024, 1, 31)),
        ("'2024-1-5'", micros(2024, 1, 5)),
        ("'2024'", micros(2024, 1, 1)),
        ("'2024-01-31 12:30:00'", micros(2024, 1, 31, 12, 30)),
        ("'2024-01-31T12:30:00.5'", micros(2024, 1, 31, 12, 30, 0, 500_000)),
        ("'2024-01-31 12:30:00Z'", micros(2024, 1, 31, 12, 30)),
        ("'2024-01-31 12:30:00+02:00'", micros(2024, 1, 31, 10, 30)),
        ("TIMESTAMP '2024-01-31 12:30:00'", micros(2024, 1, 31, 12, 30)),
        ("DATE'2024-01-31'", micros(2024, 1, 31)),
        ("20240131123000000", micros(2024, 1, 31, 12, 30)),
        ("'20240131123000000'", micros(2024, 1, 31, 12, 30)),
    ],
)
def test_literals_need_no_engine(text: str, expected: int) -> None:
    assert timestamp_of(text, "UTC", nothing) == expected


def test_a_literal_is_read_in_the_sessions_zone() -> None:
    assert timestamp_of("'2024-01-31'", "Asia/Tokyo", nothing) == micros(2024, 1, 30, 15)


def test_other_expressions_are_computed() -> None:
    moment = datetime(2024, 1, 31, tzinfo=timezone.utc)
    assert timestamp_of("current_timestamp() - INTERVAL 1 DAY", "UTC", lambda _: moment) == micros(2024, 1, 31)


@pytest.mark.parametrize("text", ["'yesterday'", "'2024-13-01'", "nullif(1, 1)"])
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(TimestampInvalidError) as caught:
        timestamp_of(text, "UTC", nothing)
    assert caught.value.condition == "DELTA_TIMESTAMP_INVALID"
