r"""Files that commands of the shell read and write: scripts, the editor's text, and rows by `\copy`.

`\copy {table | (query)} to 'file'` writes rows into a file, whose suffix is its format.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from deltasql.base import errors, pq, tokenize
from deltasql.clients.command.files import read_script
from deltasql.files import Result, render

USAGE = r"\copy {TABLE | (QUERY)} to 'FILE.csv'"
_TEXTS = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"}
_PARQUET = ".parquet"
_SUFFIXES = ", ".join((*_TEXTS, _PARQUET))
_QUERIES = re.compile(r"(?:SELECT|WITH|VALUES|FROM|TABLE|SHOW|DESCRIBE|DESC)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CopyToFile:
    """The rows of `sql` go into the file `path`."""

    sql: str
    path: str


def copy_of(argument: str) -> CopyToFile:
    r"""The query and the file of the argument of `\copy`. Raises CommandArgumentError."""
    before, path = _parts(argument)
    needed = f"a table or a query, TO and a file that ends with {_SUFFIXES}"
    if not before or not path or _format(path) is None:
        raise errors.CommandArgumentError(command="\\copy", needed=needed, usage=USAGE)
    if before.startswith("(") and before.endswith(")"):
        return CopyToFile(before[1:-1].strip(), path)
    return CopyToFile(before if _QUERIES.match(before) else f"SELECT * FROM {before}", path)


def write_rows(result: Result, path: str) -> int:
    """Writes all rows into a file, which is replaced when it is whole; the number of rows.

    Raises OutputNotWrittenError, and errors of the rows.
    """
    target = Path(path).expanduser()
    new = target.with_name(f".{target.name}.new")
    try:
        rows = _write_parquet(result, new) if _format(path) == _PARQUET else _write_text(result, new, _format(path))
        new.replace(target)
    except OSError as error:
        raise errors.OutputNotWrittenError(path=path, reason=error.strerror or str(error)) from None
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
    return rows


def _parts(argument: str) -> tuple[str, str]:
    """The text before the last TO outside of quotes, and the file behind it."""
    words = [token for token in tokenize(argument) if token.key == "TO"]
    if not words:
        return argument.strip(), ""
    path = argument[words[-1].end :].strip()
    if path[:1] in {"'", '"'}:
        # A quote that does not end is part of the name.
        with suppress(ValueError):
            path = shlex.split(path)[0]
    return argument[: words[-1].start].strip(), path


def _format(path: str) -> str | None:
    suffix = Path(path).suffix.lower()
    return _PARQUET if suffix == _PARQUET else _TEXTS.get(suffix)


def _write_text(result: Result, path: Path, style: str | None) -> int:
    grid = result.grid()
    with path.open("w", encoding="utf-8") as stream:
        render(grid, style or "csv", stream)
    return len(grid.rows)


def _write_parquet(result: Result, path: Path) -> int:
    rows = result.to_arrow()
    pq.write_table(rows, path)
    return int(rows.num_rows)


def edited(text: str) -> str:
    """`text` as the user's editor leaves it. Raises ScriptUnreadableError where there is no such editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="deltasql-") as folder:
        path = Path(folder, "statement.sql")
        path.write_text(text and f"{text.rstrip()}\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=False)
        except OSError as error:
            raise errors.ScriptUnreadableError(path=editor, reason=error.strerror or str(error)) from None
        return read_script(str(path))


@contextmanager
def output(path: str, mode: Literal["a", "w"] = "a") -> Iterator[TextIO]:
    """Context: the file, to write behind what it holds; with the mode `w` it is empty. Raises OutputNotWrittenError."""
    try:
        with Path(path).expanduser().open(mode, encoding="utf-8") as stream:
            yield stream
    except OSError as error:
        raise errors.OutputNotWrittenError(path=path, reason=error.strerror or str(error)) from None
