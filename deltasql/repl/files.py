"""Files that commands of the shell read and write: scripts, the editor's text, and rows."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from deltasql.errors.usage import OutputNotWrittenError, ScriptUnreadableError


def file_text(path: str) -> str:
    """The text of a script. Raises ScriptUnreadableError."""
    try:
        return Path(path).expanduser().read_text(encoding="utf-8").removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScriptUnreadableError(path=path, reason=reason) from None


def edited(text: str) -> str:
    """`text` as the user's editor leaves it. Raises ScriptUnreadableError where there is no such editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="deltasql-") as folder:
        path = Path(folder, "statement.sql")
        path.write_text(text and f"{text.rstrip()}\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=False)
        except OSError as error:
            raise ScriptUnreadableError(path=editor, reason=error.strerror or str(error)) from None
        return file_text(str(path))


@contextmanager
def output(path: str, mode: Literal["a", "w"] = "a") -> Iterator[TextIO]:
    """Context: the file, to write behind what it holds; with the mode `w` it is empty. Raises OutputNotWrittenError."""
    try:
        with Path(path).expanduser().open(mode, encoding="utf-8") as stream:
            yield stream
    except OSError as error:
        raise OutputNotWrittenError(path=path, reason=error.strerror or str(error)) from None
