"""The cursor that readers of SQL step with."""

from __future__ import annotations

import pytest

from deltasql.base import TokenCursor, comma_separated, require_value, tokenize
from deltasql.base.errors.base import LeftToEngineError


def cursor(sql: str) -> TokenCursor:
    return TokenCursor(tokenize(sql))


def test_a_key_is_taken_where_it_is_one_of_those_asked_for() -> None:
    at = cursor("select a")
    assert at.take("FROM", "SELECT") == "SELECT"
    assert at.take("SELECT") == ""
    assert at.name() == "a"
    assert not at.left
    assert at.take("") == ""


def test_strings_and_quoted_names_have_no_key() -> None:
    at = cursor("'SELECT' `SELECT`")
    assert (at.key, at.kind, at.is_name, at.is_name_at(1)) == ("", "string", False, True)
    assert at.take("SELECT") == ""


def test_what_stands_around_is_seen_from_here_and_nothing_beyond_the_ends() -> None:
    at = cursor("a . b")
    at.at = 1
    assert [at.peek(ahead) for ahead in (-2, -1, 0, 1, 2)] == ["", "A", ".", "B", ""]


@pytest.mark.parametrize(
    ("sql", "taken", "next_key"),
    [("(a, (b)) c", "(a,(b))", "C"), ("[x] ]", "[x]", "]"), ("a (b)", "a", "("), ("(a", "(a", "")],
)
def test_a_group_is_stepped_over_whole(sql: str, taken: str, next_key: str) -> None:
    at = cursor(sql)
    assert ("".join(token.text for token in at.group()), at.key) == (taken, next_key)


def test_what_must_be_there_and_is_not_is_left_to_spark() -> None:
    at = cursor("a")
    for asked in (
        lambda: at.need("B"),
        at.end,
        lambda: cursor("1").name(),
        cursor("").next,
        lambda: require_value(None),
    ):
        with pytest.raises(LeftToEngineError):
            asked()
    assert require_value(0) == 0


def test_a_name_is_read_with_its_dots() -> None:
    at = cursor("a.`b c`.d(")
    assert [token.name for token in at.dotted()] == ["a", "b c", "d"]
    assert at.key == "("


def test_commas_inside_of_brackets_separate_nothing() -> None:
    items = comma_separated(tokenize("a, f(b, c), [1, 2],"))
    assert ["".join(token.text for token in item) for item in items] == ["a", "f(b,c)", "[1,2]", ""]
