"""Column invariants, which tables of older engines have: every writer holds every row to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect
from deltasql.base.errors import (
    CheckExpressionError,
    CheckFunctionError,
    CheckViolationError,
    ConstraintDependentColumnError,
)

pytestmark = pytest.mark.sail

OLD, NEW = (1, 2, None), (1, 7, ["invariants"])


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse"), engine="sail") as opened:
        yield opened


def field(name: str, kind: Any, condition: str | None = None) -> dict[str, Any]:
    rule = json.dumps({"expression": {"expression": condition}})
    return {
        "name": name,
        "type": kind,
        "nullable": True,
        "metadata": {} if condition is None else {"delta.invariants": rule},
    }


def table(root: Path, condition: str = "a > 0", protocol: tuple[Any, ...] = OLD) -> str:
    """A table with a column and a field of a struct that have conditions."""
    folder = root / "t"
    (folder / "_delta_log").mkdir(parents=True)
    inner = {"type": "struct", "fields": [field("x", "integer", "s.x <> 7 OR s IS NULL")]}
    fields = [field("a", "integer", condition), field("s", inner), field("v", "string")]
    reader, writer, features = protocol
    versions = {"minReaderVersion": reader, "minWriterVersion": writer}
    actions: list[dict[str, Any]] = [
        {"protocol": versions | ({} if features is None else {"writerFeatures": features})},
        {
            "metaData": {
                "id": "x",
                "format": {"provider": "parquet", "options": {}},
                "partitionColumns": [],
                "configuration": {},
                "schemaString": json.dumps({"type": "struct", "fields": fields}),
            }
        },
    ]
    (folder / "_delta_log" / f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))
    return f"delta.`{folder}`"


GOOD = "(1, NULL, 'x'), (2, named_struct('x', 1), 'y')"
BROKEN = {
    "VALUES": "INSERT INTO {t} VALUES (-5, NULL, 'z')",
    "NULL": "INSERT INTO {t} (v) VALUES ('z')",
    "a field": "INSERT INTO {t} VALUES (5, named_struct('x', 7), 'z')",
    "SELECT": "INSERT INTO {t} SELECT abs(a) - 9, s, v FROM {t}",
    "OVERWRITE": "INSERT OVERWRITE {t} VALUES (-5, NULL, 'z')",
    "UPDATE": "UPDATE {t} SET a = -1",
    "UPDATE of a field": "UPDATE {t} SET s.x = 7 WHERE a = 2",
    "MERGE": "MERGE INTO {t} t USING (SELECT 1 AS a) u ON t.a = u.a WHEN MATCHED THEN UPDATE SET a = -1",
    "MERGE with a new row": "MERGE INTO {t} t USING (SELECT -1 AS a) u ON t.a = u.a "
    "WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)",
    "COPY INTO": "COPY INTO {t} FROM '{files}' FILEFORMAT = PARQUET",
}


@pytest.mark.parametrize("protocol", [OLD, NEW], ids=["version 2", "feature"])
@pytest.mark.parametrize("vectors", [False, True], ids=["files", "vectors"])
def test_no_writer_breaks_them(session: Session, tmp_path: Path, protocol: tuple[Any, ...], vectors: bool) -> None:
    name = table(tmp_path, protocol=protocol)
    if vectors:
        session.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    files = tmp_path / "files"
    files.mkdir()
    pq.write_table(pa.table({"a": pa.array([-4], pa.int32()), "v": ["f"]}), files / "f.parquet")
    session.sql(f"INSERT INTO {name} VALUES {GOOD}")
    session.sql(f"UPDATE {name} SET v = 'z' WHERE a = 1")
    before = session.sql(f"SELECT a, v FROM {name} ORDER BY a").collect()
    assert before == [(1, "z"), (2, "y")]
    for statement in BROKEN.values():
        with pytest.raises(CheckViolationError, match="EXPRESSION"):
            session.sql(statement.format(t=name, files=files))
    writer = session.write(pa.table({"a": pa.array([-3], pa.int32()), "v": ["w"]})).mode("append")
    with pytest.raises(CheckViolationError):
        writer.save(str(tmp_path / "t"))
    assert session.sql(f"SELECT a, v FROM {name} ORDER BY a").collect() == before


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ("reflect('java.lang.System', 'nanoTime') IS NULL", CheckExpressionError),
        ("a IN (SELECT 1)", CheckExpressionError),
        ("a > 0) OR (1 = 1", CheckExpressionError),
        ("unknown > 0", CheckExpressionError),
        ("a_function(a)", CheckFunctionError),
    ],
)
def test_conditions_that_must_not_run(session: Session, tmp_path: Path, condition: str, error: type[Exception]) -> None:
    name = table(tmp_path, condition)
    assert session.sql(f"SELECT * FROM {name}").collect() == []
    with pytest.raises(
        error, match=r"the column invariant EXPRESSION.*: delta\.invariants in the metadata of a column"
    ):
        session.sql(f"INSERT INTO {name} VALUES {GOOD}")


def test_metadata_that_is_no_condition(session: Session, tmp_path: Path) -> None:
    name = table(tmp_path)
    log = tmp_path / "t" / "_delta_log" / f"{0:020d}.json"
    log.write_text(log.read_text().replace("expression", "other"))
    with pytest.raises(CheckExpressionError):
        session.sql(f"INSERT INTO {name} VALUES {GOOD}")


@pytest.mark.parametrize("change", ["RENAME COLUMN a TO b", "DROP COLUMN a", "RENAME COLUMN s.x TO y", "DROP COLUMN s"])
def test_a_column_that_one_names_stays(session: Session, tmp_path: Path, change: str) -> None:
    name = table(tmp_path)
    session.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    with pytest.raises(
        ConstraintDependentColumnError, match=r"the column invariant EXPRESSION.* uses it \((a > 0|s\.x <> 7 OR .*)\)"
    ):
        session.sql(f"ALTER TABLE {name} {change}")
    session.sql(f"ALTER TABLE {name} RENAME COLUMN v TO w")
    session.sql(f"ALTER TABLE {name} DROP COLUMN w")
    session.sql(f"CREATE TABLE free TBLPROPERTIES ('delta.columnMapping.mode' = 'name') AS SELECT * FROM {name}")
    session.sql("ALTER TABLE free DROP COLUMN a")
