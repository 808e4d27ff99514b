"""`docs/architecture.md` tells by which files a statement goes: all of them, held against a run that is watched."""

from __future__ import annotations

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
