"""UPDATE, DELETE and MERGE that this process computes by itself: the same as an engine makes of them."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines import engine
from deltasql.engines.local import rewrites as module
from deltasql.engines.local import selections
from tests.ways import compare
from tests.ways.compare import CDF, MAPPED, VECTORS, Both

pytestmark = pytest.mark.spark

SEEDS = range(int(os.environ.get("DELTASQL_SEEDS", "2")))
VALUES = {
    "k": ("INT", ("0", "1", "2", "3", "NULL")),
    "n": ("BIGINT", ("-1", "0", "7", "9223372036854775807", "NULL")),
    "b": ("SMALLINT", ("0", "5", "32767")),
    "v": ("STRING", ("'a'", "'b'", "'ü'", "''", "NULL")),
    "d": ("DATE", ("DATE'2024-01-31'", "DATE'1969-12-31'", "NULL")),
    "f": ("BOOLEAN", ("true", "false", "NULL")),
    "m": ("DECIMAL(12,3)", ("1.5BD", "0.000BD", "-2.125BD", "NULL")),
    "x": ("DOUBLE", ("0.5D", "-1.0D", "0.0D", "2.0D", "NULL")),
    "t": ("TIMESTAMP", ("TIMESTAMP'2024-01-01T00:00:00Z'", "NULL")),
}


STRUCT = "named_struct('x', k)"
ORDERED = "t.n > s.n AND s.k = t.k"
NUMBERS = ("0", "1.5", "-2.125", "1.50BD", "7L", "2.0000001", "CAST(1 AS DECIMAL(38, 0))")
TEXTS = ('"a"', "'b'")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each change of rows went this way, in the order in which they ran."""
    taken: list[bool] = []

    def noted(way: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            try:
                done = way(*arguments)
            except LeftToEngineError:
                taken.append(False)
                raise
            taken.append(True)
            return done

        return called

    for name in ("rewrite_in_process", "write_in_process"):
        monkeypatch.setattr(engine, name, noted(getattr(engine, name)))
    # An INSERT by an engine may make more files, of which a later statement then copies fewer rows.
    monkeypatch.setattr(compare, "OF_FILES", re.compile(f"{compare.OF_FILES.pattern}|.*Copied.*|numOutputRows"))
    return taken


class Chooser(random.Random):
    """Random texts over the columns of VALUES, which go by `alias`."""

    def value(self, name: str) -> str:
        return self.choice(VALUES[name][1])

    def typed(self, name: str) -> str:
        return f"CAST({self.value(name)} AS {VALUES[name][0]})"

    def term(self, alias: str) -> str:
        name = self.choice(list(VALUES))
        column = f"{alias}{name}"
        known = [text for text in VALUES[name][1] if text != "NULL"]
        return self.choice(
            [
                f"{column} IS NULL",
                f"{column} IS NOT NULL",
                f"{column} {self.choice(['=', '<>', '!=', '=='])} {self.choice(known)}",
                f"{column} <=> {self.choice(known)}",
                f"{column} IN ({', '.join(self.sample(known, self.randint(1, len(known))))})",
                f"{column} NOT IN ({', '.join(self.sample(known, 1))})",
                f"{alias}n {self.choice(['<', '<=', '>', '>='])} {self.choice(['0', '7L', f'{alias}k'])}",
                f"{alias}k {self.choice(['+', '-', '*'])} 1 BETWEEN 1 AND {alias}b",
                f"{alias}{self.choice('nk')} % 3 {self.choice(['=', '<>'])} {self.choice(['0', '1', '-1'])}",
                f"{alias}x {self.choice(['=', '<>', '<', '<=', '>', '>=', '<=>'])} {self.choice(['0', '-1.0', '2D'])}",
                f"{alias}x / 2 < {alias}k * 1.5D",
                f"{alias}m {self.choice(['=', '<>', '<', '<=', '>', '>=', '<=>'])} {self.choice(NUMBERS)}",
                f"{alias}n {self.choice(['=', '<', '>='])} {alias}m",
                f"{alias}m * 1.25 - {alias}k {self.choice(['<', '>='])} {self.choice(NUMBERS)}",
                f"{alias}v >= {self.choice(TEXTS)}",
                f"({alias}f)",
            ]
        )

    def condition(self, *aliases: str, depth: int = 2) -> str:
        if not depth or self.random() < 0.3:
            return self.term(self.choice(aliases))
        if self.random() < 0.2:
            return f"NOT ({self.condition(*aliases, depth=depth - 1)})"
        parts = [self.condition(*aliases, depth=depth - 1) for _ in range(2)]
        return f"({self.choice([' AND ', ' or ']).join(parts)})"

    def assigned(self, source: str = "") -> str:
        found = []
        for name in self.sample(list(VALUES), self.randint(1, 3)):
            sums = [f"t.{name} + 1", f"{name} - 1" if not source else f"s.{name} - t.{name}"] if name in "knx" else []
            sums += ["t.x * 3 - t.k", "t.n / 4"] if name == "x" else []
            sums += ["t.m + 0.01", "t.m - t.k", "t.m * 2", "t.k * 0.5", "t.m + 999999999.5"] if name == "m" else []
            own = [f"s.{name}"] * 2 if source else []
            found.append(f"{name} = {self.choice([self.value(name), self.typed(name), f't.{name}', *sums, *own])}")
        return ", ".join(found)

    def rows(self, count: int) -> str:
        names = ", ".join(VALUES)
        if self.random() < 0.5:
            rows = (", ".join(f"{self.typed(name)} AS {name}" for name in VALUES) for _ in range(count))
            return " UNION ALL ".join(f"SELECT {row}" for row in rows)
        # A first row without NULL gives the columns their types.
        kinds = [next(text for text in texts if text != "NULL") for _, texts in VALUES.values()]
        rows = (", ".join(self.value(name) for name in VALUES) for _ in range(count))
        return f"SELECT * FROM VALUES ({', '.join(kinds)}), ({'), ('.join(rows)}) AS q ({names})"

    def merge(self) -> str:
        table = self.choice(["other", f"(SELECT * FROM other WHERE {self.condition('')})"])
        chosen = f"(SELECT * FROM seen WHERE {self.condition('', 'seen.')} ORDER BY {self.order()} LIMIT 2)"
        others = [table, "seen", chosen]
        source = f"({self.rows(self.randint(1, 3))})" if self.random() < 0.7 else self.choice(others)
        on = self.choice(
            ["t.k = s.k", "s.v = t.v AND t.n = s.k", "t.k = s.k AND " + self.term("t."), "t.n > s.n AND s.k = t.k"]
        )
        clauses = []
        if self.random() < 0.5:
            clauses.append(f"WHEN MATCHED AND {self.condition('t.', 's.')} THEN DELETE")
        if self.random() < 0.8:
            clauses.append(f"WHEN MATCHED THEN UPDATE SET {self.assigned('s')}")
        if self.random() < 0.7 or not clauses:
            when = self.choice(["", f" AND {self.condition('s.')}"])
            clauses.append(f"WHEN NOT MATCHED{when} THEN INSERT {self.choice(['*', '(k, v) VALUES (s.k, s.v)'])}")
        if self.random() < 0.3:
            effect = self.choice(["DELETE", f"UPDATE SET {self.assigned()}"])
            clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {self.condition('t.')} THEN {effect}")
        return f"MERGE INTO t USING {source} AS s ON {on} {' '.join(clauses)}"

    def insert(self) -> str:
        """Of another table, or of this one."""
        names, where = self.sample(list(VALUES), self.randint(2, len(VALUES))), f" WHERE {self.condition('')}"
        values = names if self.random() < 0.7 else [self.choice([name, self.typed(name)]) for name in names]
        return (
            f"INSERT {self.choice(['INTO', 'INTO', 'OVERWRITE'])} t ({', '.join(names)}) SELECT {', '.join(values)} "
            f"FROM {self.choice(['other', 't', 'seen'])}{self.choice(['', where])}"
        )

    def views(self) -> list[str]:
        """A view of all columns, and `seen`, which has those of the first one, in another order."""
        names = ", ".join(self.sample(list(VALUES), len(VALUES)))
        rows = self.choice([self.rows(self.randint(1, 3)), "TABLE other", f"SELECT {names} FROM other WHERE k < 3"])
        seen = self.choice([f"seen ({names}) AS SELECT {names}", f"seen AS SELECT {names}", "seen AS SELECT *"])
        return [f"CREATE OR REPLACE TEMPORARY VIEW {text}" for text in (f"first AS {rows}", f"{seen} FROM first")]

    def order(self) -> str:
        """All columns, in any order."""
        names = self.sample(list(VALUES), len(VALUES))
        return ", ".join(name + self.choice(["", " DESC", " ASC NULLS LAST", " desc nulls first"]) for name in names)

    def statement(self) -> str:
        match self.randrange(5):
            case 4:
                return self.insert()
            case 0:
                return f"UPDATE t SET {self.assigned()} WHERE {self.condition('', 't.')}"
            case 1:
                return f"DELETE FROM t WHERE {self.condition('', 't.')}"
            case _:
                return self.merge()


def same_order(both: Both, query: str) -> None:
    """The rows are the same, one by one."""
    found = []
    for mode, session in both.sessions.items():
        with compare.moved_by(session, mode):
            found.append([tuple(row) for row in session.sql(query).collect()])
    assert found[0] == found[1], query


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_statements(
    both: Both, seed: int, small: bool, here: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        # As of a large table: rows are looked for, and the others copied.
        monkeypatch.setattr(module, "is_small", lambda _: False)
        monkeypatch.setattr(selections, "is_small", lambda _: False)
    choose = Chooser(seed)
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in VALUES.items())
    parted = choose.choice(["", "", " PARTITIONED BY (k)", " PARTITIONED BY (v, d)"])
    used = choose.sample([VECTORS, MAPPED, CDF], choose.randint(0, 3))
    nested = "STRING" if MAPPED in used else "STRUCT<x: INT>"
    properties = f" TBLPROPERTIES ({', '.join(used)})" if used else ""
    both.run(
        f"CREATE TABLE t ({columns}, s {nested}){parted}{properties}",
        f"CREATE TABLE other ({columns})",
        f"INSERT INTO t SELECT /*+ COALESCE(1) */ *, {'v' if MAPPED in used else STRUCT} FROM ({choose.rows(8)})",
        f"INSERT INTO t SELECT /*+ COALESCE(1) */ *, NULL FROM ({choose.rows(4)})",
        f"INSERT INTO other {choose.rows(2)}",
    )
    for _ in range(6):
        both.run(*choose.views())
        statement = choose.statement()
        done = both.run(statement, fails=True)
        if len(done) == 3:
            both.run("SELECT * FROM t")
            same_order(
                both,
                f"SELECT k, n, b, v, d, f, m, x, t FROM t WHERE {choose.condition('', 't.')} ORDER BY {choose.order()}",
            )
            both.run(f"SELECT count(*) AS n FROM t WHERE {choose.condition('t.')}")
            columns = ", ".join(choose.sample(list(VALUES), 3))
            same_order(both, f"SELECT {columns} FROM t WHERE {choose.condition('t.')} ORDER BY 1, 2 DESC, 3 LIMIT 2")
    if CDF in used:
        both.run("SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 0)")
    assert any(here)


@pytest.mark.parametrize("properties", ["", f" TBLPROPERTIES ({VECTORS})", f" TBLPROPERTIES ({CDF})"])
@pytest.mark.parametrize("small", [True, False])
def test_a_row_that_several_rows_of_the_source_delete(
    both: Both, small: bool, properties: str, here: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(module, "is_small", lambda _: False)
    both.run(
        f"CREATE TABLE t (k INT, v STRING){properties}",
        "INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'c'), (NULL, 'd'), (3, 'e')",
        "CREATE TABLE s (k INT, v STRING)",
        "INSERT INTO s VALUES (1, 'x'), (1, 'y'), (1, 'z'), (9, 'n'), (9, 'm'), (NULL, 'o'), (3, 'p')",
        "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        "SELECT * FROM t",
        "MERGE INTO t USING s ON t.k > s.k WHEN MATCHED THEN DELETE",
        "SELECT * FROM t",
    )
    if CDF in properties:
        # Executors write CHANGE_TYPE into data files, too.
        both.run("SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 0)")
    else:
        both.same_log()
    assert any(here)
