"""The options of `deltasql test`, and files of SQL that the command line names."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from deltasql.base import errors
from deltasql.sql import is_notebook, source_of_ipynb

SUFFIXES = (".sql", ".py", ".ipynb")
"""Of files with statements or cells."""
_ARGUMENT = re.compile(r"\$(?P<name>\w+)\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|\S+)")


def add_options(test: argparse.ArgumentParser) -> None:
    """The files to run, and the reports on them."""
    test.add_argument("directory", metavar="DIR", type=Path, help="a directory of .sql files, or one file")
    test.add_argument("-k", dest="only", metavar="TEXT", default="", help="only files whose path holds TEXT")
    test.add_argument("--accept", action="store_true", help="write what came out as the new .out files")
    test.add_argument("-x", "--exitfirst", dest="exit_first", action="store_true", help="stop at the first failure")
    test.add_argument("--last-failed", action="store_true", help="only files that failed in their last run, if any")
    test.add_argument("--durations", metavar="N", type=int, default=0, help="list the N slowest files")
    test.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit's XML, for CI servers")
    test.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_jobs,
        default="auto",
        help="processes for the files that expect no JVM, in suites with many of them; auto: one per CPU (%(default)s)",
    )


def _jobs(text: str) -> int:
    """A number of processes; 0 for auto. Raises ArgumentTypeError."""
    if text == "auto":
        return 0
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor auto")
    return int(text)


def read_script(path: str) -> str:
    """The text of a file, or of stdin for `-`; of an .ipynb file its cells as a source file of Databricks.

    Raises ScriptUnreadableError.
    """
    text = _text(path).removeprefix("\ufeff")
    if path.endswith(".ipynb"):
        try:
            return source_of_ipynb(text)
        except ValueError as error:
            raise errors.ScriptUnreadableError(path=path, reason=f"it is no notebook of Jupyter: {error}") from None
    if path.endswith((".py", ".scala", ".r", ".R")) and not is_notebook(text):
        reason = "it is no notebook, whose first line is '# Databricks notebook source'"
        raise errors.ScriptUnreadableError(path=path, reason=reason)
    return text


def _text(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise errors.ScriptUnreadableError(path=path, reason=reason) from None


def arguments_of(argument: str) -> dict[str, str]:
    """The values in `path $name="value" …` behind %run, by name."""
    return {match["name"]: _unquoted(match["value"]) for match in _ARGUMENT.finditer(argument)}


def included_notebook(argument: str, folder: Path, asked: str) -> str:
    """The file that stands behind %run. Raises NotebookNotFoundError."""
    return found_notebook(_unquoted(_ARGUMENT.sub("", argument).strip()), folder, asked)


def found_notebook(path: str, folder: Path, asked: str) -> str:
    """The file of a notebook, by a path from `folder`, whose suffix may be missing. Raises NotebookNotFoundError."""
    wanted = folder / path
    for file in (wanted, *(wanted.with_name(wanted.name + suffix) for suffix in SUFFIXES)):
        if path and file.is_file():
            return str(file)
    raise errors.NotebookNotFoundError(path, str(folder), asked)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def shown_name(path: str) -> str:
    """The name of a file in messages."""
    return "<stdin>" if path == "-" else path
