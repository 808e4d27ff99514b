"""`deltasql check`: the errors of files of SQL, none of which is run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from deltasql.command.scripts import read_script, shown_name

if TYPE_CHECKING:
    from deltasql.checking import Checker, Finding

TEXT, JSON = "text", "json"


def add_options(check: argparse.ArgumentParser) -> None:
    """What to check, and against which tables."""
    check.add_argument("files", metavar="FILE", nargs="+", help="a file of statements, or - for stdin")
    add_warehouse(check)
    check.add_argument(
        "--schema", metavar="FILE", action="append", default=[], help="of CREATE statements, before each file"
    )
    check.add_argument("--report", choices=(TEXT, JSON), default=TEXT, help="how errors are printed (%(default)s)")


def add_warehouse(command: argparse.ArgumentParser) -> None:
    """The warehouse whose tables are known."""
    command.add_argument("--warehouse", metavar="DIR", default=argparse.SUPPRESS, help="whose tables the files name")


def check_files(options: argparse.Namespace) -> bool:
    """Prints the errors of the files; whether there are none. Raises ScriptUnreadableError."""
    from deltasql.checking import Checker
    from deltasql.opening import connect

    schema = [(path, read_script(path)) for path in options.schema]
    found: list[tuple[str, Finding]] = []
    with ExitStack() as stack:
        warehouse = None
        if options.warehouse is not None and exists(options.warehouse):
            warehouse = stack.enter_context(connect(options.warehouse, catalog=options.catalog))
        for number, path in enumerate(options.files):
            with Checker(warehouse, engine=options.engine, complete=warehouse is not None or bool(schema)) as checker:
                found += _findings(checker, schema) if number == 0 else _silently(checker, schema)
                found += _findings(checker, [(shown_name(path), read_script(path))])
    _print(found, options.report)
    return not found


def _findings(checker: Checker, scripts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, Finding]]:
    for path, text in scripts:
        yield from ((path, finding) for finding in checker.check(text))


def _silently(checker: Checker, scripts: Sequence[tuple[str, str]]) -> list[tuple[str, Finding]]:
    """No findings: those of the schema are printed once, however many files follow."""
    list(_findings(checker, scripts))
    return []


def exists(warehouse: str) -> bool:
    """Whether there is a warehouse; one in an object store is asked when its first name is."""
    return "://" in warehouse or Path(warehouse).is_dir()


def _print(found: Sequence[tuple[str, Finding]], report: str) -> None:
    if report == JSON:
        print(json.dumps([finding.entry(path) for path, finding in found], indent=2))
        return
    for path, finding in found:
        print(finding.text(path))
