"""Lets each single request to an object store go wrong in each way: `python -m tests.faults.store_faults`.

A program of statements runs once for every request that it makes and every fate of a request. What was acknowledged
must be there; a statement that has failed is not there, and one whose outcome is said to be unknown is there or not.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import deltasql
from deltasql.base.errors import AmbiguousWriteError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.storage import stores
from deltasql.log.storage.log_store import LogStore, Patience
from deltasql.log.storage.stores import Stores
from tests.stores.proxy import Fate, Proxy, Request
from tests.stores.tiny_s3 import TinyS3

TABLE = "delta.`s3://tiny/t`"
PROGRAM = (
    f"CREATE TABLE {TABLE} (id INT, n INT) TBLPROPERTIES ('delta.checkpointInterval' = '2')",
    f"INSERT INTO {TABLE} VALUES (1, 0), (2, 0)",
    f"INSERT INTO {TABLE} VALUES (3, 0)",
    f"UPDATE {TABLE} SET n = n + 1 WHERE id = 1",
    f"DELETE FROM {TABLE} WHERE id = 2",
)
Rows = frozenset[tuple[int, int]] | None
FATES = [fate for fate in Fate if fate is not Fate.PASS]
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "k",
    "AWS_SECRET_ACCESS_KEY": "s",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


def _after(rows: Rows, statement: int) -> Rows:
    """The rows after a statement of the program; it has none to change where there is no table."""
    if statement == 0:
        return frozenset() if rows is None else rows
    if rows is None:
        return None
    if statement in {1, 2}:
        return rows | (frozenset({(1, 0), (2, 0)}) if statement == 1 else frozenset({(3, 0)}))
    if statement == 3:
        return frozenset((key, n + 1 if key == 1 else n) for key, n in rows)
    return frozenset(row for row in rows if row[0] != 2)


@contextmanager
def store() -> Iterator[Proxy]:
    """An empty store, and what stands before it."""
    before = dict(os.environ)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    patience, LogStore.patience = LogStore.patience, Patience(tries=4, first=0.01, longest=0.02)
    kept, findings = stores._OF_ENVIRONMENT, dict(stores._findings)
    try:
        with TinyS3() as server, Proxy(server.endpoint) as proxy:
            os.environ.update(_ENVIRONMENT, AWS_ENDPOINT_URL=proxy.endpoint)
            stores._OF_ENVIRONMENT = Stores()
            stores._findings.clear()
            yield proxy
    finally:
        os.environ.clear()
        os.environ.update(before)
        LogStore.patience, stores._OF_ENVIRONMENT = patience, kept
        stores._findings.clear()
        stores._findings.update(findings)


def played(number: int | None, fate: Fate) -> tuple[int, list[str]]:
    """How many requests the program made where that one has that fate, and what was wrong."""
    wrong: list[str] = []
    seen = 0

    def rule(_: Request) -> Fate:
        nonlocal seen
        seen += 1
        return fate if seen - 1 == number else Fate.PASS

    with store() as proxy, tempfile.TemporaryDirectory() as folder:
        proxy.rule = rule
        possible: set[Rows] = {None}
        with deltasql.connect(folder, engine="sail") as session:
            for statement, text in enumerate(PROGRAM):
                try:
                    session.sql(text)
                    possible = {_after(rows, statement) for rows in possible}
                except AmbiguousWriteError:
                    possible |= {_after(rows, statement) for rows in possible}
                except DeltaSqlError:
                    pass
                except Exception as error:
                    wrong.append(f"{text}: {type(error).__name__}: {error}")
        total, proxy.rule = seen, lambda _: Fate.PASS
        with deltasql.connect(folder, engine="sail") as later:
            if (found := _read(later)) not in possible:
                wrong.append(f"found {found}, expected one of {possible}")
            elif found is not None:
                later.sql(f"INSERT INTO {TABLE} VALUES (9, 9)")
                if _read(later) != found | {(9, 9)}:
                    wrong.append("the next statement is not there")
    return total, [f"{fate.name} of request {number}: {text}" for text in wrong]


def _read(session: deltasql.Session) -> Rows:
    try:
        return frozenset((row[0], row[1]) for row in session.sql(f"SELECT id, n FROM {TABLE}").collect())
    except DeltaSqlError as error:
        if error.condition != "DELTA_MISSING_DELTA_TABLE":
            raise
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, help="at most so many, chosen by chance")
    given = parser.parse_args()
    requests, wrong = played(None, Fate.PASS)
    cases = [(number, fate) for number in range(requests) for fate in FATES]
    if given.cases is not None:
        cases = random.Random(7).sample(cases, min(given.cases, len(cases)))
    for number, fate in cases:
        wrong += played(number, fate)[1]
    print(f"{requests} requests, {len(cases)} cases, {len(wrong)} faults")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
