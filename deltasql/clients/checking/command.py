"""`deltasql check`: the errors of scripts, as lines or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from deltasql.clients.checking.checker import Checker, Finding
from deltasql.session.opening import connect
from deltasql.session.session import Session

NamedScript = tuple[str, str]
"""The name of a file, and its text."""


def check_scripts(
    scripts: Sequence[NamedScript],
    schema: Sequence[NamedScript],
    *,
    warehouse: str,
    catalog: str | None = None,
    engine: str | None = None,
    as_json: bool = False,
) -> bool:
    """Prints the errors of scripts, each after the statements of `schema`; whether there are none.

    The tables are those of `warehouse`, if it exists.
    """
    found: list[tuple[str, Finding]] = []
    with ExitStack() as stack:
        session = stack.enter_context(connect(warehouse, catalog=catalog)) if exists(warehouse) else None
        for number, script in enumerate(scripts):
            with _checker(session, schema, engine) as checker:
                of_schema = list(_findings(checker, schema))
                # Printed once, however many scripts follow.
                found += [*(of_schema if number == 0 else ()), *_findings(checker, [script])]
    _print(found, as_json)
    return not found


def exists(warehouse: str) -> bool:
    """Whether there is a warehouse; one in an object store is asked when its first name is."""
    return "://" in warehouse or Path(warehouse).is_dir()


def _checker(session: Session | None, schema: Sequence[NamedScript], engine: str | None) -> Checker:
    return Checker(session, engine=engine, complete=session is not None or bool(schema))


def _findings(checker: Checker, scripts: Sequence[NamedScript]) -> Iterator[tuple[str, Finding]]:
    for name, text in scripts:
        yield from ((name, finding) for finding in checker.check(text))


def _print(found: Sequence[tuple[str, Finding]], as_json: bool) -> None:
    if as_json:
        print(json.dumps([finding.entry(name) for name, finding in found], indent=2))
        return
    for name, finding in found:
        print(finding.text(name))
