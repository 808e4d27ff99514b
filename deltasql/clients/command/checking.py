"""The options of `deltasql check` and `deltasql lsp`."""

from __future__ import annotations

import argparse

TEXT, JSON = "text", "json"


def add_options(check: argparse.ArgumentParser) -> None:
    """The files to check, and the tables that they may name."""
    check.add_argument("files", metavar="FILE", nargs="+", help="a file of statements, or - for stdin")
    add_warehouse(check)
    check.add_argument(
        "--schema", metavar="FILE", action="append", default=[], help="of CREATE statements, before each file"
    )
    check.add_argument("--report", choices=(TEXT, JSON), default=TEXT, help="how errors are printed (%(default)s)")


def add_warehouse(command: argparse.ArgumentParser) -> None:
    """The warehouse whose tables are known."""
    command.add_argument("--warehouse", metavar="DIR", default=argparse.SUPPRESS, help="whose tables the files name")
