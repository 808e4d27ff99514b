"""The pipelines of sql_examples print, and leave in tables, what their `days.out` says.

`python -m tests.test_pipeline_examples` writes these files anew.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from deltasql.clients import cli
from tests.source_trees import ROOT

EXAMPLES = ROOT / "sql_examples" / "pipelines"
FOLDERS = sorted(path.parent for path in EXAMPLES.glob("*/days.txt"))
_SECONDS = re.compile(r", \d+\.\d s| \(\d+\.\d s\)")


def lived(folder: Path, warehouse: str) -> str:
    """The output of all updates of a pipeline, without their seconds."""
    printed = []
    for part in re.split(r"(?m)^(?=-- )", (folder / "days.txt").read_text(encoding="utf-8")):
        head, _, sql = part.partition("\n")
        if head == "-- run":
            printed.append(
                _SECONDS.sub("", _printed("pipeline", "run", str(folder), "--warehouse", warehouse, "-j", "1"))
            )
        elif head:
            printed.append(f"{head}\n")
        if sql.strip():
            printed.append(_printed("--warehouse", warehouse, "--format", "csv", "-e", sql))
    return "".join(printed)


def _printed(*arguments: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        assert cli.main(arguments) == cli.OK
    return out.getvalue()


@pytest.mark.spark
@pytest.mark.parametrize("folder", FOLDERS, ids=[path.name for path in FOLDERS])
def test_example(folder: Path, tmp_path: Path) -> None:
    assert lived(folder, str(tmp_path)) == (folder / "days.out").read_text(encoding="utf-8")


if __name__ == "__main__":
    for example in FOLDERS:
        if not sys.argv[1:] or example.name in sys.argv[1:]:
            with tempfile.TemporaryDirectory() as place:
                (example / "days.out").write_text(lived(example, place), encoding="utf-8")
