"""The serial orders that an isolation level allows, and what they say of rows."""

from __future__ import annotations

import itertools

from deltasql.clients.golden.schedules.concurrency import Order, SerialRows, allowed_orders, explaining, with_change


def rows(*texts: str, columns: str = "x") -> SerialRows:
    return SerialRows(columns, texts)


def test_serializable_allows_the_order_of_the_history_alone() -> None:
    assert list(allowed_orders(("A", "B", "C"), any_order=False)) == [("A", "B", "C")]


def test_write_serializable_allows_every_order_with_the_history_first() -> None:
    orders = list(allowed_orders(("B", "A"), any_order=True))
    assert orders == [("B", "A"), ("A", "B")]
    assert len(list(allowed_orders(("A", "B", "C"), any_order=True))) == 6


def test_statements_without_a_commit_may_have_come_at_any_time_or_are_left_out() -> None:
    orders = list(allowed_orders(("A", "B"), any_order=False, idle=("N",)))
    assert orders[0] == ("A", "B")
    assert set(orders[1:]) == {("N", "A", "B"), ("A", "N", "B"), ("A", "B", "N")}
    assert set(allowed_orders((), True, ("M", "N"))) == {(), ("M",), ("N",), ("M", "N"), ("N", "M")}


def test_rows_are_compared_as_a_bag_with_their_columns() -> None:
    assert rows("1", "2", "2").same(rows("2", "1", "2"))
    assert not rows("1", "2").same(rows("1", "2", "2"))
    assert not rows("1").same(rows("1", columns="y"))
    assert not rows().same(None)


def test_the_first_order_that_explains_is_told() -> None:
    given: dict[Order, SerialRows | None] = {("A", "B"): None, ("B", "A"): rows("1"), ("A",): rows("1")}
    assert explaining(rows("1"), given, given.get) == ("B", "A")
    assert explaining(rows("2"), given, given.get) is None


def test_a_change_is_moved_onto_other_rows() -> None:
    before, after = rows("1 | a", "2 | b"), rows("1 | A", "2 | b")
    assert with_change(rows("1 | a", "2 | B"), before, after) == rows("2 | B", "1 | A")
    # What it would delete has been changed meanwhile.
    assert with_change(rows("1 | c", "2 | b"), before, after) is None
    assert with_change(rows("1", columns="y"), before, after) is None
    assert with_change(before, None, after) is None
    assert with_change(before, before, None) is None


def test_a_change_of_several_equal_rows_needs_as_many() -> None:
    assert with_change(rows("1"), rows("1", "1"), rows()) is None
    assert with_change(rows("1", "1", "1"), rows("1", "1"), rows()) == rows("1")


def test_the_orders_of_a_lost_update() -> None:
    """Two additions to one value: what only one of them comes to is explained by no order."""
    values = {"A": 1, "B": 10}
    run = {order: rows(str(sum(values[name] for name in order))) for order in itertools.permutations("AB")}
    assert explaining(rows("10"), allowed_orders(("A", "B"), True), run.get) is None
    assert explaining(rows("11"), allowed_orders(("A", "B"), True), run.get) == ("A", "B")
