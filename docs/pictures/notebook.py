"""`python -m docs.pictures.notebook` writes notebook.png: outputs of a real kernel, as a browser shows them.

Needs the extra `test`, for Jupyter's kernel and client, and Chromium (`apt-get install chromium`). No test compares the
picture, since fonts differ from machine to machine.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NAME = "notebook.png"
WIDTH, HEIGHT = 900, 815
CELLS = (
    "%load_ext deltasql\n%sql --warehouse warehouse",
    "item, pieces = 'bolt', 7",
    "%%sql\nCREATE TABLE stock (item STRING, pieces INT, place STRUCT<hall: INT, shelf: STRING>);\n"
    "INSERT INTO stock VALUES (:item, :pieces, NULL), ('nut', 12, named_struct('hall', 4, 'shelf', 'B'));\n"
    "SELECT * FROM stock ORDER BY item;",
    "%sql ALTER TABLE stock ADD COLUMN place.level INT AFTER hall",
    "%sql UPDATE stock SET piecse = 8 WHERE item = 'bolt'",
)
STYLE = """
body { font: 14px sans-serif; margin: 16px; background: #fff; color: #222; }
.cell { display: flex; margin: 8px 0; }
.cell > :first-child { width: 56px; flex: none; color: #307fc1; font: 12px monospace; padding-top: 9px; }
.cell > :last-child { flex: 1; overflow: hidden; }
.cell pre.code { background: #f5f5f5; border: 1px solid #ddd; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 3px 10px 3px 0; }
pre { margin: 0; padding: 8px; font: 13px monospace; white-space: pre-wrap; }
"""


def write(target: Path) -> None:
    """Runs the cells, lays them out as Jupyter does, and takes the picture."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("there is no chromium and no google-chrome: apt-get install chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder, "notebook.html")
        page.write_text(_page(folder), encoding="utf-8")
        profile = f"--user-data-dir={folder}/profile"
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=4000")
        size, shot = f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={target}"
        subprocess.run(
            [browser, *options, profile, size, shot, page.as_uri()], check=True, timeout=60, stderr=subprocess.DEVNULL
        )


def _page(folder: str) -> str:
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": folder}}).execute()
    parts = [f"<meta charset='utf-8'><style>{STYLE}</style>"]
    for number, cell in enumerate(notebook.cells, 1):
        parts.append(_cell(f"[{number}]:", f'<pre class="code">{escape(cell.source)}</pre>'))
        parts += [_cell("", _output(output)) for output in cell.outputs]
    return "\n".join(parts).replace(folder, "/home/ada")


def _cell(head: str, body: str) -> str:
    return f'<div class="cell"><div>{head}</div><div>{body}</div></div>'


def _output(output: nbformat.NotebookNode) -> str:
    if output.output_type == "stream":
        return f"<pre>{escape(output.text)}</pre>"
    if output.output_type == "error":
        return f"<pre>{escape(chr(10).join(output.traceback))}</pre>"
    text: str = output.data.get("text/html") or f"<pre>{escape(output.data['text/plain'])}</pre>"
    return text


if __name__ == "__main__":
    write(Path(__file__).with_name(NAME).resolve())
