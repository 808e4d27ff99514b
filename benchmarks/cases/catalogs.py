"""Statements on a table whose commits the catalog ratifies, beside a plain one, on a disk and over objects."""

from __future__ import annotations

import time
from statistics import median

import deltasql
from benchmarks.bench import Bench, note
from benchmarks.figures import Figure

ROUNDS = 200
ALTER_AT_MOST = 2.0
"""A warm ALTER on a managed table, as a ratio to that on a plain one."""
MANAGED = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"
WORK = {
    "ALTER": "ALTER TABLE {table} SET TBLPROPERTIES ('k' = '{number}')",
    "INSERT": "INSERT INTO {table} VALUES ({number}, 1)",
    "SELECT": "SELECT max(id) FROM {table}",
}


def figures(bench: Bench) -> list[Figure]:
    """Medians on a warm session; plain and managed tables take turns."""
    rounds = bench.sizes.some(ROUNDS, 3)
    note(f"{rounds} rounds on a plain and on a managed table")
    found = _in_warehouse(str(bench.folder("catalogs") / "warehouse"), "a disk", rounds)
    return [*found, *_in_warehouse("memory:///catalogs-benchmark", "objects in memory", rounds)]


def _in_warehouse(warehouse: str, place: str, rounds: int) -> list[Figure]:
    with deltasql.connect(warehouse) as session:
        for table, clause in (("plain", ""), ("managed", MANAGED), ("other", MANAGED)):
            session.sql(f"CREATE TABLE {table} (id INT, pieces INT) {clause}")
        found = {name: _seconds(session, text, rounds) for name, text in WORK.items()}
        both = "BEGIN ATOMIC INSERT INTO managed VALUES ({number}, 1); INSERT INTO other VALUES ({number}, -1); END"
        group = median(_timed(session, both.format(number=number)) for number in range(rounds))
    shown = [
        Figure(
            f"catalog on {place}: {name}, managed table",
            "s",
            managed,
            plain,
            "plain table",
            ratio_at_most=ALTER_AT_MOST if name == "ALTER" else None,
        )
        for name, (plain, managed) in found.items()
    ]
    return [*shown, Figure(f"catalog on {place}: a transaction over two tables", "s", group)]


def _seconds(session: deltasql.Session, text: str, rounds: int) -> tuple[float, float]:
    """The median seconds of a statement on the plain table, and on the managed one."""
    times: dict[str, list[float]] = {"plain": [], "managed": []}
    for number in range(rounds):
        for table, taken in times.items():
            taken.append(_timed(session, text.format(table=table, number=number)))
    return median(times["plain"]), median(times["managed"])


def _timed(session: deltasql.Session, text: str) -> float:
    began = time.perf_counter()
    session.sql(text).collect()
    return time.perf_counter() - began
