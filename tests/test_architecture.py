"""The files of a statement on the page `docs/architecture.md`, compared with a watched run; and how engines stand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MOST_OPENED = 7
"""So many files a reader opens who follows DROP COLUMN, each once."""

WATCHED = """
import sys
from pathlib import Path
import deltasql

root, warehouse = Path(deltasql.__file__).parent, sys.argv[1]
with deltasql.connect(warehouse) as session:
    session.sql("CREATE TABLE t (a STRUCT<b: INT, c: INT>, d INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    ran = set()

    def watch(frame, event, argument):
        # The body of a module runs when it is imported: that is not the statement's way.
        if event == "call" and frame.f_code.co_name != "<module>":
            path = Path(frame.f_code.co_filename)
            if root in path.parents:
                ran.add(path.relative_to(root).as_posix())

    sys.setprofile(watch)
    session.sql("ALTER TABLE t DROP COLUMN a.b")
    sys.setprofile(None)
print(*sorted(ran), sep="\\n")
"""


def ran(tmp_path: Path) -> set[str]:
    """The modules of deltasql that run code between the text of a DROP COLUMN and its commit."""
    command = [sys.executable, "-c", WATCHED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def told(heading: str) -> list[str]:
    """The files that a section of the page names, in its order. `a/{b,c}.py` names two."""
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(f"\n## {heading}\n") + len(heading) + 4
    section = text[start : text.index("\n## ", start)]
    found = []
    for name in re.findall(r"`([\w/{},]+\.(?:py|lark))`", section):
        before, opened, rest = name.partition("{")
        inner, _, after = rest.partition("}")
        found += [f"{before}{part}{after}" for part in inner.split(",")] if opened else [name]
    return [name for name in found if not name.startswith("tests/")]


def test_the_page_names_every_file_on_the_way_of_a_statement(tmp_path: Path) -> None:
    opened, serving = told("One statement through seven files"), told("What serves on the way")
    data = {"grammar/columns.lark", "statements/columns.py"}
    expected = ran(tmp_path)
    assert set(opened) <= expected | data, "a file that is told of runs no code: take it out of the page"
    missing = sorted(expected - set(opened) - set(serving))
    assert not missing, f"docs/architecture.md says nothing of {', '.join(missing)}"
    stale = sorted(set(serving) - expected)
    assert not stale, f"docs/architecture.md tells of files that are not on the way: {', '.join(stale)}"


def test_a_reader_opens_few_files_each_once() -> None:
    opened = told("One statement through seven files")
    assert len(opened) == len(set(opened)) <= MOST_OPENED


def test_no_statement_on_metadata_enters_the_folders_that_import_pyspark(tmp_path: Path) -> None:
    assert not [name for name in ran(tmp_path) if name.startswith(("engines/spark/", "engines/sail/"))]


TRIPS = """
import sys
from pathlib import Path
import deltasql

root, warehouse = Path(deltasql.__file__).parent, sys.argv[1]
SOURCE = "SELECT * FROM VALUES (1, '{0}'), (9, '{0}') AS q (id, v)"
MERGE = (
    "MERGE INTO m USING (" + SOURCE + ") AS s ON m.{1} = s.{1} "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT ({1}, v) VALUES (s.{1}, s.v)"
)
with deltasql.connect(warehouse) as session:
    columns, mapped = "(a STRUCT<b: INT, c: INT>)", "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    for table in "tu":
        session.sql(f"CREATE TABLE {table} {columns} {mapped}")
    session.sql("ALTER TABLE u DROP COLUMN a.b")
    session.sql("CREATE TABLE m (id INT, v STRING)")
    session.sql("INSERT INTO m VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    # The second run of a statement, with another text.
    session.sql("UPDATE m SET v = 'z' WHERE id = 3")
    session.sql(MERGE.format("x", "id"))
    statements = {
        "DROP COLUMN": "ALTER TABLE t DROP COLUMN a.b",
        "UPDATE": "UPDATE m SET v = 'y' WHERE id = 2",
        "MERGE": MERGE.format("y", "ID"),
    }
    for name, text in statements.items():
        ran, tokenized = set(), 0

        def watch(frame, event, argument):
            global tokenized
            path = Path(frame.f_code.co_filename)
            if event == "call" and frame.f_code.co_name != "<module>" and root in path.parents:
                ran.add(path)
                tokenized += (path.name, frame.f_code.co_name) == ("tokens.py", "tokenize")

        sys.setprofile(watch)
        session.sql(text)
        sys.setprofile(None)
        print(name, len(ran), tokenized, sep=",")
"""
MOST_RUN = {"DROP COLUMN": (64, 0), "UPDATE": (108, 3), "MERGE": (107, 5)}
"""Modules that run for a statement in this process, and texts that are tokenized for it. These may only fall."""


def test_few_modules_run_for_a_statement(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TRIPS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    found = {name: (int(ran), int(read)) for name, ran, read in (line.split(",") for line in done.stdout.splitlines())}
    grown = {
        name: found[name]
        for name, most in MOST_RUN.items()
        if any(number > allowed for number, allowed in zip(found[name], most, strict=True))
    }
    assert not grown, f"{grown}, where {MOST_RUN} are allowed"


ENGINES = ROOT / "deltasql" / "engines"


def test_engines_stand_side_by_side() -> None:
    """No class of one engine inherits from a class of another, nor one that combines them from either."""
    wrong = []
    for path in sorted(ENGINES.rglob("*.py")):
        folder, tree = path.relative_to(ENGINES).parts[0], ast.parse(path.read_text(encoding="utf-8"))
        others = {
            item.name: node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deltasql.engines.")
            for item in node.names
            if str(node.module).split(".")[2] in {"local", "spark", "sail"} - {folder}
        }
        wrong += [
            f"{path.relative_to(ENGINES)}: {node.name} inherits from {base.id} of {others[base.id]}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            if isinstance(base, ast.Name) and base.id in others
        ]
    assert not wrong, "\n".join(wrong)
