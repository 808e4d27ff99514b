"""Every table of refusals. To write what comes out: python -m tests.refusals --accept"""

from __future__ import annotations

import itertools

import pytest

from tests.refusals import table
from tests.refusals.table import FOLDER, Section, difference, read, sections

_RIGHT = """-- section s
CREATE TABLE t (a INT);

SHOW CATALOGS LIKE «main»
=> PARSE_SYNTAX_ERROR 42601 Found 'main', but expected a string.
"""


@pytest.mark.parametrize(
    "section",
    [pytest.param(item, id=f"{path.stem}/{item.name}") for path in sorted(FOLDER.glob("*.txt")) for item in read(path)],
)
def test_refusals(section: Section) -> None:
    assert not (text := difference(section)), f"\n{text}"


def test_a_right_entry_has_no_difference() -> None:
    (section,) = sections(_RIGHT, "f")
    assert (section.setup, section.text) == ("CREATE TABLE t (a INT);", _RIGHT)
    assert not difference(section)


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("SHOW CATALOGS LIKE «main»", "SHOW CATALOGS", "+=> (no error)"),
        ("SHOW CATALOGS LIKE «main»", "DROP TABLE t", "+=> (no error)"),
        ("SYNTAX", "SYNTACTIC", "-=> PARSE_SYNTACTIC_ERROR 42601 Found 'main', but expected a string."),
        ("42601", "42602", "-=> PARSE_SYNTAX_ERROR 42602 Found 'main', but expected a string."),
        ("«main»", "m«ain»", "-SHOW CATALOGS LIKE m«ain»"),
        ("«main»", "main", "-SHOW CATALOGS LIKE main"),
        ("a string", "a name", "-=> PARSE_SYNTAX_ERROR 42601 Found 'main', but expected a name."),
    ],
)
def test_a_wrong_entry_differs(right: str, wrong: str, line: str) -> None:
    (section,) = sections(_RIGHT.replace(right, wrong), "f")
    assert line in difference(section).splitlines()


def test_a_refusal_that_changes_files_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()
    monkeypatch.setattr(table, "_files", lambda warehouse: {warehouse: (next(numbers), 0)})
    (section,) = sections(_RIGHT, "f")
    assert "+=> (changed files)" in difference(section).splitlines()


@pytest.mark.parametrize("text", ["SHOW", "-- section s\n", "-- section s\nSHOW\n", f"{_RIGHT}SHOW\n"])
def test_text_without_outcome_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="section"):
        sections(text, "f")
