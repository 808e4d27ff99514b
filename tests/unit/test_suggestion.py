"""The one home of "Did you mean": what is close enough to be suggested, and what is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors.suggestion import (
    OPEN_SET,
    closest,
    column_meant,
    did_you_mean,
    meant,
    resembles,
    resembling,
    similar_names,
)

PACKAGE = Path(deltasql.__file__).parent


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("custmer", ["orders", "customer"], ("customer",)),
        ("CUSTMER", ["Customer"], ("Customer",)),
        ("id", ["ID", "Id"], ("ID",)),
        ("xyz", ["customer"], ()),
        ("a", [], ()),
    ],
)
def test_similar_names(name: str, known: list[str], expected: tuple[str, ...]) -> None:
    assert similar_names(name, known) == expected


def test_similar_names_come_best_first() -> None:
    assert similar_names("sales", ["sale", "sales1", "salads", "other"], most=2) == ("sales1", "sale")


def test_an_open_set_needs_a_better_guess() -> None:
    assert similar_names("abcd", ["abxyd"])
    assert not similar_names("abcd", ["abxyd"], cutoff=OPEN_SET)


def test_questions() -> None:
    assert meant(()) == ""
    assert meant(["a", "b"]) == "Did you mean a or b?"
    assert did_you_mean("amuont", ["amount"]) == " Did you mean amount?"
    assert did_you_mean("amuont", ["amount"], shown="`{}`".format) == " Did you mean `amount`?"
    assert did_you_mean("zzz", ["amount"]) == ""


@pytest.mark.parametrize(
    ("name", "columns", "expected"),
    [
        ("t.amuont", ["t.amount", "s.amount"], " Did you mean t.amount?"),
        ("`amuont`", ["`Amount`"], " Did you mean `Amount`?"),
        ("s.amount", ["t.amount"], ""),
        ("other", ["t.amount"], ""),
    ],
)
def test_column_meant(name: str, columns: list[str], expected: str) -> None:
    assert column_meant(name, columns) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("STRNG", "STRING"),
        ("SRTING", "STRING"),
        ("INTT", "INT"),
        ("DAT", ""),
        ("FOO", ""),
        ("TIMESTAMPP", "TIMESTAMP"),
    ],
)
def test_closest(word: str, expected: str) -> None:
    assert closest(word, ("INT", "STRING", "TIMESTAMP", "DATE", "DAY")) == expected


def test_words_have_few_slips() -> None:
    assert resembling("DAT", ("INT", "DATE", "DAY")) == ["DATE", "DAY"]
    assert resembles("PARTITOINDE", "PARTITIONED")
    assert not resembles("PARITTOINDE", "PARTITIONED")
    assert not resembles("FRM", "INTO")


def test_nothing_else_guesses() -> None:
    """A second home for guesses gets a second cutoff: call deltasql.base.errors.suggestion instead."""
    wrong = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.alias) and node.name == "get_close_matches")
        or (isinstance(node, ast.Attribute) and node.attr == "get_close_matches")
    ]
    assert wrong == ["base/errors/suggestion.py"]
