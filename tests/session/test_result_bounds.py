"""Rows that Python cannot hold: a typed error that says how to see them."""

from __future__ import annotations

import pytest

from deltasql import Session
from deltasql.base.errors import TimeOutOfRangeError
from deltasql.base.errors.base import DeltaSqlError

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    "value",
    ["DATE'-0001-01-01'", "DATE'+10000-01-01'", "TIMESTAMP'-0001-01-01 00:00:00'", "TIMESTAMP_NTZ'+12000-01-01'"],
)
def test_times_out_of_range(session: Session, value: str) -> None:
    result = session.sql(f"SELECT {value} AS c, array({value}) AS d")
    for read in (result.collect, lambda: result.head(1), result.show):
        with pytest.raises(TimeOutOfRangeError) as caught:
            read()
        assert (caught.value.condition, caught.value.sqlstate) == ("DATETIME_OVERFLOW", "22008")
    assert result.count() == 1
    assert session.sql(f"SELECT CAST({value} AS STRING) AS c").collect()[0].c


def test_values_nested_deeply(session: Session) -> None:
    value = "1"
    for _ in range(400):
        value = f"struct({value} AS a)"
    try:
        session.sql(f"SELECT {value} AS c").collect()
    except DeltaSqlError as error:
        assert error.sqlstate  # noqa: PT017 - an answer is as good
