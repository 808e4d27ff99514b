"""A notebook run by Jupyter itself: statements on metadata, one query, and an error, as its pages have them."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not all(map(find_spec, ("nbclient", "ipykernel"))), reason="needs nbclient and ipykernel"),
]

CELLS = [
    "%load_ext deltasql",
    "%sql CREATE TABLE stock (item STRING, pieces INT)",
    "%sql ALTER TABLE stock ADD COLUMN note STRING",
    "item, pieces = 'bolt', 7",
    "%sql INSERT INTO stock VALUES (:item, :pieces, NULL)",
    "%sql DESCRIBE HISTORY stock",
    "%sql ALTER TABLE stok DROP COLUMN note",
    "%%sql bolts <<\nSELECT note, pieces * 2 AS twice, array(pieces) AS p FROM stock WHERE item = :item",
    "bolts",
]

# In a process of its own: what its libraries warn of is no concern of ours.
RUN = """
import json, sys
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

notebook = new_notebook(cells=[new_code_cell(cell) for cell in json.load(sys.stdin)])
NotebookClient(notebook, timeout=600, allow_errors=True, kernel_name="python3").execute()
print(json.dumps([cell.outputs for cell in notebook.cells]))
"""


def outputs(tmp_path: Path) -> list[list[dict[str, Any]]]:
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(
        command, input=json.dumps(CELLS), capture_output=True, text=True, check=False, cwd=tmp_path, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_a_notebook(tmp_path: Path) -> None:
    loaded, created, altered, _, inserted, history, refused, query, rows = outputs(tmp_path)
    assert (loaded, query) == ([], [])
    assert "version 0" in created[0]["data"]["text/html"]
    assert "+  |-- note: string" in altered[0]["data"]["text/html"]
    assert "version 2" in inserted[0]["data"]["text/html"]
    assert history[0]["data"]["text/html"].count("<circle") == 3
    assert refused[0]["output_type"] == "error"
    assert len(refused[0]["traceback"]) <= 10
    assert "Did you mean stock?" in refused[0]["traceback"][0]
    html = rows[0]["data"]["text/html"]
    assert "NULL</span>" in html
    assert ">14</td>" in html
    assert ">[7]</td>" in html
