"""Tables of any columns, written and read by executors and by the driver."""

from __future__ import annotations

import random

import pytest

from tests.ways.compare import CDF, MAPPED, TRACKED, VECTORS, Both

pytestmark = pytest.mark.spark

SCALARS = {
    "INT": "CAST({n} AS INT)",
    "BIGINT": "CAST({n} * 4294967296 AS BIGINT)",
    "DOUBLE": "CAST({n} / 7 AS DOUBLE)",
    "DECIMAL(12,3)": "CAST({n} / 8 AS DECIMAL(12,3))",
    "STRING": "concat('t {n}/', repeat('ü', {n} % 40))",
    "BOOLEAN": "{n} % 2 = 0",
    "DATE": "date_add(DATE'1999-12-31', {n})",
    "TIMESTAMP": "timestamp_micros({n} * 100000000001)",
    "BINARY": "CAST('{n}' AS BINARY)",
}


def any_type(choose: random.Random, depth: int = 2) -> str:
    kind = choose.randrange(8) if depth else 9
    if kind == 0:
        return f"ARRAY<{any_type(choose, depth - 1)}>"
    if kind == 1:
        return f"MAP<{choose.choice(['INT', 'STRING'])}, {any_type(choose, depth - 1)}>"
    if kind < 4:
        fields = ", ".join(f"f{n}: {any_type(choose, depth - 1)}" for n in range(choose.randint(1, 3)))
        return f"STRUCT<{fields}>"
    return choose.choice(list(SCALARS))


def any_value(choose: random.Random, kind: str) -> str:
    """A SQL expression of a type as `any_type` makes them."""
    if choose.random() < 0.2:
        return f"CAST(NULL AS {kind})"
    if kind in SCALARS:
        return SCALARS[kind].format(n=choose.randint(-20, 20) if kind != "STRING" else choose.randint(0, 60))
    name, _, inner = kind[:-1].partition("<")
    parts = split_types(inner)
    if name == "ARRAY":
        values = [any_value(choose, inner) for _ in range(choose.randint(0, 3))]
        return f"CAST(array({', '.join(values)}) AS {kind})"
    if name == "MAP":
        keys = choose.sample(range(9), choose.randint(0, 2))
        pairs = [f"CAST({key} AS {parts[0]}), {any_value(choose, parts[1])}" for key in keys]
        return f"CAST(map({', '.join(pairs)}) AS {kind})"
    fields = [part.partition(": ") for part in parts]
    values = [f"'{field}', {any_value(choose, of)}" for field, _, of in fields]
    return f"named_struct({', '.join(values)})"


def split_types(text: str) -> list[str]:
    """The parts of a text between commas outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "<(") - (char in ">)")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


@pytest.mark.parametrize("seed", range(3))
def test_tables_of_any_columns(both: Both, seed: int) -> None:
    choose = random.Random(seed)
    kinds = [any_type(choose) for _ in range(5)]
    parts = choose.sample(sorted(SCALARS.keys() - {"BINARY"}), choose.randint(0, 2))
    names = [f"c{n}" for n in range(5)] + [f"p{n}" for n in range(len(parts))]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, [*kinds, *parts], strict=True))
    used = choose.sample([VECTORS, MAPPED, CDF, TRACKED], choose.randint(0, 3))
    told = f" PARTITIONED BY ({', '.join(names[5:])})" * bool(parts) + f" TBLPROPERTIES ({', '.join(used)})" * bool(
        used
    )

    def rows(count: int) -> str:
        made = (", ".join(any_value(choose, kind) for kind in [*kinds, *parts]) for _ in range(count))
        return " UNION ALL ".join(f"SELECT {n} AS k, {row}" for n, row in enumerate(made))

    both.run(
        f"CREATE TABLE t (k INT, {columns}){told}",
        f"INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM ({rows(8)})",
        "SELECT * FROM t",
        f"UPDATE t SET {names[0]} = {any_value(choose, kinds[0])} WHERE k % 3 = 0",
        f"MERGE INTO t USING (SELECT /*+ COALESCE(1) */ * FROM ({rows(3)}) AS v(k, {', '.join(names)})) s "
        "ON t.k = s.k + 6 WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "SELECT * FROM t",
        "DELETE FROM t WHERE k = 2",
        "SELECT * FROM t",
    )
    both.same_log()
