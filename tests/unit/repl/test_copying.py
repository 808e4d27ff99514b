r"""`\copy` writes rows into files, whole or not at all."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import deltasql
from deltasql.base.errors import CommandArgumentError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.repl.commands import Preferences
from deltasql.clients.repl.copying import CopyToFile, copy_of, write_rows
from deltasql.clients.repl.shell import Shell, Terminal
from deltasql.session.session import Session


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.chdir(tmp_path)
    with deltasql.connect("warehouse") as made:
        made.sql("CREATE TABLE plain (a INT, b STRING, c ARRAY<INT>)")
        made.sql("INSERT INTO plain VALUES (1, 'x, y', array(1, 2)), (2, NULL, NULL)")
        yield made


def said(session: Session, *inputs: str) -> str:
    out = io.StringIO()
    shell = Shell(session, preferences=Preferences(timing=False), terminal=Terminal(out=out))
    for text in inputs:
        shell.run(text)
    return out.getvalue()


@pytest.mark.spark
def test_the_suffix_is_the_format(session: Session) -> None:
    assert said(session, r"\copy plain to 'a.csv'") == "2 rows into a.csv\n"
    assert Path("a.csv").read_text(encoding="utf-8") == 'a,b,c\n1,"x, y","[1, 2]"\n2,,\n'
    assert said(session, r"\copy (SELECT b FROM plain WHERE a = 1) TO a.json;") == "1 row into a.json\n"
    assert json.loads(Path("a.json").read_text(encoding="utf-8")) == [{"b": "x, y"}]
    said(session, r"\copy plain to a.parquet", r"\copy plain to a.JSONL", r"\copy plain to 'a b.tsv'")
    assert pq.read_table("a.parquet").to_pylist()[0] == {"a": 1, "b": "x, y", "c": [1, 2]}
    assert len(Path("a.JSONL").read_text(encoding="utf-8").splitlines()) == 2
    assert Path("a b.tsv").read_text(encoding="utf-8").startswith("a\tb\tc\n1\tx, y")


@pytest.mark.parametrize(
    ("argument", "copy"),
    [
        ("t to 'a.csv'", CopyToFile("SELECT * FROM t", "a.csv")),
        ("(select a to_, b from t) to b.parquet", CopyToFile("select a to_, b from t", "b.parquet")),
        ("select 'x to y' as t TO '/x y.json'", CopyToFile("select 'x to y' as t", "/x y.json")),
        ("s.`to` to z.md", CopyToFile("SELECT * FROM s.`to`", "z.md")),
    ],
)
def test_what_is_copied(argument: str, copy: CopyToFile) -> None:
    assert copy_of(argument) == copy


@pytest.mark.parametrize("argument", ["", "t", "t to", "to a.csv", "t to a.xls", "t from 'a.csv'"])
def test_wrong_arguments(argument: str) -> None:
    with pytest.raises(CommandArgumentError, match=r"a file that ends with \.csv, \.tsv, .*\.parquet"):
        copy_of(argument)


@pytest.mark.spark
def test_an_error_leaves_the_file_as_it_was(session: Session) -> None:
    Path("a.csv").write_text("before", encoding="utf-8")
    assert "TABLE_OR_VIEW_NOT_FOUND" in said(session, r"\copy gone to a.csv")
    assert "OUTPUT_NOT_WRITTEN" in said(session, r"\copy plain to nowhere/a.csv")

    class Broken:
        def grid(self) -> None:
            raise DeltaSqlError

    with pytest.raises(DeltaSqlError):
        write_rows(Broken(), "a.csv")  # type: ignore[arg-type]
    assert Path("a.csv").read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["a.csv", "warehouse"]
