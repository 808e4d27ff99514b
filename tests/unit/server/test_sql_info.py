"""The server's information, by the numbers of the enumeration SqlInfo in FlightSql.proto."""

from __future__ import annotations

from deltasql.clients.server.parameter_types import sql_info

# Drivers put the answers into a map of the enumeration: a number that it does not have ends the JDBC driver.
NUMBERS = {*range(12), 100, 101, *range(500, 577)}


def test_every_number_is_one_of_the_enumeration() -> None:
    assert set(sql_info(()).column("info_name").to_pylist()) <= NUMBERS


def test_rows_may_be_ingested_and_not_in_a_transaction() -> None:
    answers = {row["info_name"]: row["value"] for row in sql_info((10, 11)).to_pylist()}
    assert answers == {10: True, 11: False}
