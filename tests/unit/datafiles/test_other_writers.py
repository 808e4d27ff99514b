"""Tables with files and statistics as other writers make them, read and changed in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from math import isnan
from operator import eq, ge, gt, lt, ne
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from deltasql import Session, connect
from deltasql.base.errors import PartitionTextError

PAIRS = pa.list_(pa.int32(), 2)
LISTS = pa.table(
    {
        "k": pa.array([1, 2, 3], pa.int32()),
        "c": pa.array([[1, 2], None, [3, None]], PAIRS),
        "s": pa.array([{"e": [1, 2]}, {"e": None}, None], pa.struct([("e", PAIRS)])),
        "l": pa.array([[[1, 2], [3, 4]], None, []], pa.list_(PAIRS)),
        "m": pa.array([[("a", [1, 2])], None, []], pa.map_(pa.string(), PAIRS)),
    }
)
"""Lists of one size at any depth, such as embeddings: the file has plain lists, and Arrow's schema beside them."""

DECIMALS = {
    "d": ("12345678901234567.89", pa.decimal128(20, 2)),
    "e": ("99999999999999.99", pa.decimal128(18, 2)),
    "g": ("0.123456789012345678", pa.decimal128(18, 18)),
    "h": (f"-{'9' * 38}", pa.decimal128(38, 0)),
}
"""delta-rs writes the bounds of decimals as DOUBLE, or as the limit of LONG."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def stored(tmp_path: Path, rows: pa.Table) -> str:
    write_deltalake(str(tmp_path / "t"), rows)
    return f"delta.`{tmp_path}/t`"


def test_lists_of_one_size(session: Session, tmp_path: Path) -> None:
    table = stored(tmp_path, LISTS)
    assert session.sql(f"SELECT * FROM {table}").to_arrow().sort_by("k").to_pylist() == LISTS.to_pylist()
    session.sql(f"UPDATE {table} SET k = 4 WHERE k = 2")
    session.sql(f"MERGE INTO {table} t USING (SELECT 3 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = 5")
    session.sql(f"DELETE FROM {table} WHERE k = 1")
    rest = session.sql(f"SELECT * FROM {table}").to_arrow().sort_by("k").to_pylist()
    assert rest == [{**row, "k": row["k"] + 2} for row in LISTS.to_pylist()[1:]]


@pytest.mark.parametrize("name", DECIMALS)
def test_rounded_bounds_of_decimals(name: str, session: Session, tmp_path: Path) -> None:
    value, kind = DECIMALS[name]
    rows = pa.table({"k": pa.array([1], pa.int32()), name: pa.array([Decimal(value)], kind)})
    table = stored(tmp_path, rows)
    for condition in (f"{name} = {value}", f"{name} IN ({value})", f"{name} BETWEEN {value} AND {value}"):
        assert session.sql(f"SELECT k FROM {table} WHERE {condition}").collect() == [(1,)], condition
    assert session.sql(f"UPDATE {table} SET k = 2 WHERE {name} = {value}").collect() == [(1,)]
    assert session.sql(f"SELECT max({name}) FROM {table}").collect() == [(Decimal(value),)]
    assert session.sql(f"DELETE FROM {table} WHERE {name} = {value}").collect() == [(1,)]


NAN, INFINITY = float("nan"), float("inf")
# Values of the column `c`, its type, its bounds as JSON, conditions with the numbers of rows, its extremes.
BOUNDS: dict[str, tuple[list[Any], pa.DataType, str, str, dict[str, list[int]], tuple[int, int] | None]] = {
    "long with an exponent": (
        [2**53 + 1],
        pa.int64(),
        "9.007199254740992e15",
        "9.007199254740992E15",
        {"c = 9007199254740993": [0], "c > 9007199254740992": [0], "c IN (9007199254740993)": [0]},
        (2**53 + 1, 2**53 + 1),
    ),
    "long with a point": (
        [-1234567890123456789, 1234567890123456789],
        pa.int64(),
        "-1234567890123456800.0",
        "1.2345678901234568e18",
        {"c = -1234567890123456789": [0], "c <= -1234567890123456789": [0], "c >= 1234567890123456789": [1]},
        (-1234567890123456789, 1234567890123456789),
    ),
    "NaN as the maximum": (
        [1.0, NAN, 2.0],
        pa.float64(),
        "1.0",
        "NaN",
        {"c > 1.5D": [1, 2], "c = 2D": [2], "NOT c < 3D": [1], "c IN (2D, 3D)": [2]},
        None,
    ),
    "NaN as both bounds": ([NAN, NAN], pa.float64(), "NaN", "NaN", {"c > 1D": [0, 1], "c = 1D": []}, None),
    "NaN in no bound": (
        [1.0, NAN, 2.0],
        pa.float64(),
        "1.0",
        "2.0",
        {"c > 5D": [1], "c >= 3D": [1], "NOT c < 3D": [1], "c > 100D": [1], "c < 5D": [0, 2]},
        None,
    ),
    "Infinity": (
        [-INFINITY, 1.0, INFINITY],
        pa.float64(),
        "-Infinity",
        "Infinity",
        {"c > 1e308": [2], "c < -1e308": [0], "c = 1D": [1]},
        None,
    ),
}


def with_statistics(tmp_path: Path, rows: pa.Table, change: Callable[[dict[str, Any]], str]) -> str:
    """A table of one file, of which `change` makes the text of its statistics."""
    table = stored(tmp_path, rows)
    [log] = (tmp_path / "t" / "_delta_log").glob("*.json")
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            action["add"]["stats"] = change(json.loads(action["add"]["stats"]))
    log.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    return table


def numbered(values: list[Any], kind: pa.DataType) -> pa.Table:
    return pa.table({"k": pa.array(range(len(values)), pa.int32()), "c": pa.array(values, kind)})


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_that_are_no_values(name: str, session: Session, tmp_path: Path) -> None:
    values, kind, low, high, conditions, ends = BOUNDS[name]
    stats = (
        f'{{"numRecords":{len(values)},"minValues":{{"k":0,"c":{low}}},"maxValues":{{"k":9,"c":{high}}},'
        '"nullCount":{"k":0,"c":0}}'
    )
    table = with_statistics(tmp_path, numbered(values, kind), lambda _: stats)
    for condition, found in conditions.items():
        rows = session.sql(f"SELECT k FROM {table} WHERE {condition}").collect()
        assert sorted(row[0] for row in rows) == found, condition
    if ends is not None:
        assert session.sql(f"SELECT min(c), max(c) FROM {table}").collect() == [ends]
    for condition, found in conditions.items():
        assert session.sql(f"UPDATE {table} SET k = k WHERE {condition}").collect() == [(len(found),)], condition


def test_wide_bounds_without_deletion_vectors(session: Session, tmp_path: Path) -> None:
    def widened(stats: Mapping[str, Any]) -> str:
        wide = {"minValues": {"k": -5, "c": -5}, "maxValues": {"k": 9, "c": 9}, "tightBounds": False}
        return json.dumps({**stats, **wide})

    table = with_statistics(tmp_path, numbered([1, 2], pa.int64()), widened)
    assert session.sql(f"SELECT min(c), max(k), count(*) FROM {table}").collect() == [(1, 1, 2)]


def test_files_with_sure_bounds_of_floats_are_skipped(session: Session) -> None:
    session.sql("CREATE TABLE own (d DOUBLE)")
    session.sql("INSERT INTO own VALUES (1.5)")
    session.sql("INSERT INTO own VALUES (2.5)")
    plan = "\n".join(row[0] for row in session.sql("EXPLAIN SELECT * FROM own WHERE d > 2").collect())
    assert "1 pruned" in plan


@pytest.mark.spark
def test_checkpoint_with_days_of_the_julian_calendar(session: Session, tmp_path: Path) -> None:
    """Spark with `datetimeRebaseModeInWrite` LEGACY writes such, and says so in the footer."""
    texts = ("1500-03-01 12:00:00", "1582-10-04 00:00:00")
    properties = "'delta.checkpoint.writeStatsAsStruct' = 'true', 'delta.checkpoint.writeStatsAsJson' = 'false'"
    session.sql("SET TIME ZONE 'UTC'")
    session.sql(f"CREATE TABLE delta.`{tmp_path}/t` (k INT, c TIMESTAMP, d DATE) TBLPROPERTIES ({properties})")
    table = f"delta.`{tmp_path}/t`"
    for number, text in enumerate(texts):
        session.sql(f"INSERT INTO {table} VALUES ({number}, TIMESTAMP '{text}', DATE '{text[:10]}')")
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    session.sql(f"INSERT INTO {table} VALUES (2, NULL, NULL)")
    path = max((tmp_path / "t" / "_delta_log").glob("*.checkpoint.parquet"))
    rows = pq.read_table(path)
    actions = rows.to_pylist()
    for action in actions:
        for bounds in ("minValues", "maxValues"):
            found = ((action["add"] or {}).get("stats_parsed") or {}).get(bounds) or {}
            found |= {name: found[name] + timedelta(days=9) for name in ("c", "d") if found.get(name)}
    schema = rows.schema.with_metadata({"org.apache.spark.legacyDateTime": ""})
    pq.write_table(pa.Table.from_pylist(actions, schema), path)
    with connect(str(tmp_path / "other")) as other:
        other.sql("SET TIME ZONE 'UTC'")
        for number, text in enumerate(texts):
            for condition in (f"c = TIMESTAMP '{text}'", f"d <= DATE '{text[:10]}' AND d >= DATE '{text[:10]}'"):
                assert other.sql(f"SELECT k FROM {table} WHERE {condition}").collect() == [(number,)], condition


@pytest.mark.parametrize("note", [{"legacyDateTime": ""}, {"version": "2.4.8"}, {"version": "4.0.0"}, {}])
def test_converted_files_with_days_of_the_julian_calendar(
    note: dict[str, str], session: Session, tmp_path: Path
) -> None:
    columns = {"d": pa.array([date(1500, 3, 10)]), "n": pa.array([{"t": datetime(1500, 3, 10)}])}
    rows = pa.table({"k": pa.array([1], pa.int32()), **columns})
    properties = {f"org.apache.spark.{name}": text for name, text in note.items()}
    (tmp_path / "t").mkdir()
    pq.write_table(rows.replace_schema_metadata(properties), tmp_path / "t" / "a.parquet", coerce_timestamps="us")
    session.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")
    [log] = (tmp_path / "t" / "_delta_log").glob("*0.json")
    [add] = [action["add"] for action in map(json.loads, log.read_text().splitlines()) if "add" in action]
    stats = json.loads(add["stats"])
    is_old = note not in ({"version": "4.0.0"}, {})
    assert ("d" in stats["minValues"], "n" in stats["maxValues"]) == (not is_old, not is_old)
    assert stats["minValues"]["k"] == 1


MISFITS = {
    "100.0": ("integer", "INT"),
    "2147483648": ("integer", "INT"),
    "abc": ("long", "BIGINT"),
    "1.2.3": ("decimal(10,2)", "DECIMAL(10,2)"),
    "yess": ("boolean", "BOOLEAN"),
    "1577836800000": ("date", "DATE"),
    "1,5": ("double", "DOUBLE"),
}


def partitioned(tmp_path: Path, kind: str, texts: Mapping[int, str | None]) -> str:
    """A table partitioned by `p` with a file for each number `k`."""
    fields = [
        {"name": name, "type": of, "nullable": True, "metadata": {}} for name, of in (("k", "integer"), ("p", kind))
    ]
    metadata = {
        "id": "t",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": ["p"],
        "configuration": {},
    }
    actions: list[dict[str, Any]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": metadata},
    ]
    log = tmp_path / "p" / "_delta_log"
    log.mkdir(parents=True)
    for number, text in texts.items():
        path = tmp_path / "p" / f"{number}.parquet"
        pq.write_table(pa.table({"k": pa.array([number], pa.int32())}), path)
        add = {"path": path.name, "size": path.stat().st_size, "modificationTime": 1, "dataChange": True}
        actions.append({"add": {**add, "partitionValues": {"p": text}}})
    (log / f"{0:020}.json").write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    return f"delta.`{tmp_path}/p`"


@pytest.mark.parametrize("text", MISFITS)
def test_partition_values_of_another_type(text: str, session: Session, tmp_path: Path) -> None:
    kind, shown = MISFITS[text]
    table = partitioned(tmp_path, kind, {1: text, 2: None})
    for statement in (
        f"SELECT * FROM {table}",
        f"SELECT k FROM {table} WHERE p IS NULL OR k = 1",
        f"UPDATE {table} SET k = 3 WHERE k = 1",
        f"DELETE FROM {table} WHERE k = 1",
        f"SHOW PARTITIONS {table}",
    ):
        with pytest.raises(PartitionTextError) as raised:
            session.sql(statement).collect()
        assert (raised.value.value, raised.value.column, raised.value.type) == (text, "p", shown), statement


@pytest.mark.spark
def test_partition_values_in_other_spellings(tmp_path: Path) -> None:
    table = partitioned(tmp_path, "decimal(10,2)", {1: "1.005", 2: "1e2", 3: " 7", 4: "", 5: "+0001.1"})
    found = {"p = 1.01": [1], "p = 100.00": [2], "p IN (7, 1.1)": [3, 5], "p IS NULL": [4]}
    with connect(str(tmp_path / "warehouse")) as session:
        for condition, numbers in found.items():
            rows = session.sql(f"SELECT k FROM {table} WHERE {condition}").collect()
            assert sorted(row[0] for row in rows) == numbers, condition


UTC = timezone.utc
EMOJI, LAST = "\U0001f600", "\U0010ffff"
EXTREMES: dict[str, tuple[pa.DataType, str, list[Any]]] = {
    "long": (pa.int64(), "BIGINT", [-(2**63), 2**63 - 1, 2**53 + 1, 0]),
    "byte": (pa.int8(), "TINYINT", [-128, 127, 0]),
    "decimal": (pa.decimal128(38, 18), "DECIMAL(38,18)", [Decimal(f"{'9' * 20}.{'9' * 18}"), Decimal("-1e-18")]),
    "date": (pa.date32(), "DATE", [date(1, 1, 1), date(1582, 10, 4), date(1582, 10, 15), date(9999, 12, 31)]),
    "timestamp": (
        pa.timestamp("us", "UTC"),
        "TIMESTAMP",
        [
            datetime(1, 1, 2, tzinfo=UTC),
            datetime(1582, 10, 4, 1, 2, 3, 456789, tzinfo=UTC),
            datetime(1899, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
            datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
        ],
    ),
    "timestamp_ntz": (pa.timestamp("us"), "TIMESTAMP_NTZ", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 9)]),
    "double": (pa.float64(), "DOUBLE", [NAN, INFINITY, -INFINITY, 0.0, 5e-324, 1.7976931348623157e308]),
    "float": (pa.float32(), "FLOAT", [NAN, INFINITY, -INFINITY, -0.0, 3.4028234663852886e38]),
    "string": (
        pa.string(),
        "STRING",
        ["", " ", "a" * 100, f"{'a' * 99}b", EMOJI * 40, LAST * 40, "\uffff" * 40, "it's"],
    ),
    "surrogates": (pa.string(), "STRING", [f"{'x' * 31}{EMOJI}y"]),
    "last": (pa.string(), "STRING", [LAST * 40]),
}
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<": lt, ">": gt, ">=": ge, "<>": ne}


def ordered(value: Any) -> Any:
    """A value as Spark orders it: NaN is the greatest number, and strings compare by their bytes."""
    if isinstance(value, float):
        return (isnan(value), 0.0 if isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


def literal(value: Any, kind: str) -> str:
    if isinstance(value, datetime):
        return f"{kind} '{value.isoformat(' ', 'microseconds')}'"
    if isinstance(value, str):
        return "'{}'".format(value.replace("'", "\\'"))
    text = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), str(value))
    return f"CAST('{text}' AS {kind})"


@pytest.mark.spark
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_are_found(name: str, nested: bool, tmp_path: Path) -> None:
    arrow, kind, values = EXTREMES[name]
    rows = numbered([*values, None], arrow)
    column = "c"
    if nested:
        rows = pa.table({"k": rows["k"], "n": pa.array([{"c": value} for value in [*values, None]])})
        rows = rows.cast(pa.schema([rows.schema.field("k"), pa.field("n", pa.struct([("c", arrow)]))]))
        column = "n.c"
    table = stored(tmp_path, rows)
    with connect(str(tmp_path / "warehouse")) as session:
        session.sql("SET TIME ZONE 'UTC'")
        for value in values:
            text = literal(value, kind)
            for op, compare in OPERATORS.items():
                expected = [k for k, item in enumerate(values) if compare(ordered(item), ordered(value))]
                found = session.sql(f"SELECT k FROM {table} WHERE {column} {op} {text}").collect()
                assert sorted(row[0] for row in found) == expected, f"{op} {text}"
            same = sum(ordered(item) == ordered(value) for item in values)
            assert session.sql(f"UPDATE {table} SET k = k WHERE {column} IN ({text})").collect() == [(same,)], text
        assert session.sql(f"SELECT k FROM {table} WHERE {column} IS NULL").collect() == [(len(values),)]
        ends = session.sql(
            f"SELECT CAST(min({column}) AS STRING), CAST(max({column}) AS STRING) FROM {table}"
        ).collect()
        wanted = [literal(end(values, key=ordered), kind) for end in (min, max)]
        assert session.sql(f"SELECT CAST({wanted[0]} AS STRING), CAST({wanted[1]} AS STRING)").collect() == ends
