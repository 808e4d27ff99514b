"""Statements and files of the shapes that public repositories have: all are understood, and start no JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.checking import Checker
from deltasql.sql import parse, split

HERE = Path(__file__).parent
STATEMENTS = sorted((HERE / "statements").glob("*.sql"))
FILES = sorted(path for path in (HERE / "files").iterdir() if path.suffix in {".sql", ".py", ".ipynb"})


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.stem)
def test_statements_are_understood(path: Path) -> None:
    """Each alone, with no table that it names: what is found would be in its words."""
    wrong = []
    for statement in split(path.read_text(encoding="utf-8")):
        with Checker(complete=False) as checker:
            wrong += [finding.text(statement.text) for finding in checker.check(statement.text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_whole_files_are_understood(path: Path) -> None:
    from deltasql.clients.command.files import read_script

    with Checker(complete=False) as checker:
        wrong = [finding.text(path.name) for finding in checker.check(read_script(str(path)), str(path))]
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_of_them() -> None:
    texts = {" ".join(item.text.split()) for path in STATEMENTS for item in split(path.read_text(encoding="utf-8"))}
    assert len(texts) >= 500
    assert len(FILES) >= 8


@pytest.mark.parametrize("text", ["SELEC 1", "CREATE TABEL t (a INT)", "ALTER TABLE t ALTER COLUMN", "MERGE t USING s"])
def test_what_is_no_statement_is_still_found(text: str) -> None:
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        parse(text)
