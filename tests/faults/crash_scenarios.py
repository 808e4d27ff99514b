"""Statements whose traces on the disk are cut at every point, and the process that runs them."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import deltasql
from deltasql.base.errors.base import DeltaSqlError

TABLE = "delta.`{root}/t`"
_TWO = "(1, 'one'), (2, 'two')"
_CREATE = f"CREATE TABLE {TABLE} (id INT, name STRING)"
_VECTORS = f"{_CREATE} TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
_FILLED = f"INSERT INTO {TABLE} VALUES {_TWO}, (3, 'three')"


@dataclass(frozen=True)
class Scenario:
    """Texts with `{root}` for the folder in which all lies. Each unit is acknowledged as a whole; one text or several.

    `target` is the folder of the table that they change.
    """

    units: tuple[tuple[str, ...], ...]
    setup: tuple[str, ...] = ()
    target: str = "t"


def _inserts(first: int, count: int) -> tuple[tuple[str, ...], ...]:
    return tuple((f"INSERT INTO {TABLE} VALUES ({number}, 'n')",) for number in range(first, first + count))


def _checkpointed(policy: str) -> Scenario:
    create = f"{_CREATE} TBLPROPERTIES ('delta.checkpointInterval' = '2', 'delta.checkpointPolicy' = '{policy}')"
    return Scenario(_inserts(4, 3), (create, _FILLED))


_MERGE = f"""MERGE INTO {TABLE} t
USING (SELECT * FROM VALUES (2, 'two'), (4, 'four') AS v(id, name)) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = 'new' WHEN NOT MATCHED THEN INSERT *"""

SCENARIOS = {
    "create": Scenario(((_CREATE,), (_FILLED,))),
    "create-as": Scenario(((f"CREATE TABLE {TABLE} USING delta AS SELECT * FROM VALUES {_TWO} AS v(id, name)",),)),
    "insert": Scenario(_inserts(3, 2), (_CREATE, f"INSERT INTO {TABLE} VALUES {_TWO}")),
    "update": Scenario(((f"UPDATE {TABLE} SET name = 'new' WHERE id = 2",),), (_CREATE, _FILLED)),
    "update-vectors": Scenario(((f"UPDATE {TABLE} SET name = 'new' WHERE id = 2",),), (_VECTORS, _FILLED)),
    "delete-vectors": Scenario(((f"DELETE FROM {TABLE} WHERE id = 2",),), (_VECTORS, _FILLED)),
    "merge": Scenario(((_MERGE,),), (_CREATE, _FILLED)),
    "merge-vectors": Scenario(((_MERGE,),), (_VECTORS, _FILLED)),
    "optimize": Scenario(
        ((f"OPTIMIZE {TABLE}",),), (_CREATE, _FILLED, *(text for unit in _inserts(4, 2) for text in unit))
    ),
    "checkpoint": _checkpointed("classic"),
    "checkpoint-v2": _checkpointed("v2"),
    "replace": Scenario(
        ((f"CREATE OR REPLACE TABLE {TABLE} USING delta AS SELECT * FROM VALUES (7, 'seven') AS v(id, name)",),),
        (_CREATE, _FILLED),
    ),
    "clone-shallow": Scenario(((f"CREATE TABLE delta.`{{root}}/c` SHALLOW CLONE {TABLE}",),), (_CREATE, _FILLED), "c"),
    "clone-deep": Scenario(((f"CREATE TABLE delta.`{{root}}/c` DEEP CLONE {TABLE}",),), (_CREATE, _FILLED), "c"),
    "copy-into": Scenario(
        ((f"COPY INTO {TABLE} FROM '{{root}}/in' FILEFORMAT = PARQUET",),),
        (_CREATE, _FILLED),
    ),
    "drop-feature": Scenario(
        ((f"ALTER TABLE {TABLE} DROP FEATURE deletionVectors",),),
        (_VECTORS, _FILLED, f"DELETE FROM {TABLE} WHERE id = 2"),
    ),
    "transaction": Scenario(
        (
            (
                "BEGIN TRANSACTION",
                f"DELETE FROM {TABLE} WHERE id = 1",
                f"INSERT INTO {TABLE} VALUES (5, 'five')",
                f"UPDATE {TABLE} SET name = 'new' WHERE id = 3",
                "COMMIT",
            ),
        ),
        (_VECTORS, _FILLED),
    ),
}


def main() -> None:
    """Runs the setup of a scenario and its units, and tells the content before the first unit and after each."""
    name, root, warehouse, marks = sys.argv[1:]
    scenario = SCENARIOS[name]
    number = os.open(marks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if name == "copy-into":
        Path(root, "in").mkdir()
        pq.write_table(pa.table({"id": pa.array([8], pa.int32()), "name": ["eight"]}), f"{root}/in/8.parquet")
    told = []
    with deltasql.connect(warehouse, engine="sail") as session:
        for unit in (scenario.setup, *scenario.units):
            for text in unit:
                session.sql(text.replace("{root}", root)).collect()
            os.write(number, b"done\n")
            told.append(content(session, root, scenario.target))
    Path(marks).with_suffix(".rows").write_text(json.dumps(told))
    # All is told: how libraries end their threads is no matter of the disk.
    os._exit(0)


def content(session: deltasql.Session, root: str, target: str) -> tuple[int, list[str] | None]:
    """The version of the table and its rows as texts, in order; −1 and None where there is no table."""
    try:
        found = session.sql(f"SELECT id, name FROM delta.`{root}/{target}`").collect()
    except DeltaSqlError as error:
        if error.condition != "DELTA_MISSING_DELTA_TABLE":
            raise
        return -1, None
    version = session.log(f"delta.`{root}/{target}`").snapshot().version
    return version, sorted(str(list(row)) for row in found)


if __name__ == "__main__":
    main()
