"""The files of a snapshot that a scan reads: from logs of every shape the same as from the texts of statistics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.log.skipping.predicates import condition
from deltasql.log.skipping.pruning import prune, skip_files
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.plan.operators import READ_COLUMNS, SCAN_COLUMNS
from deltasql.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

KINDS: Mapping[str, DataType] = {
    "id": LONG,
    "name": STRING,
    "d": DATE,
    "t": TIMESTAMP,
    "n": TIMESTAMP_NTZ,
    "x": DOUBLE,
    "f": FLOAT,
    "big": DecimalType(38, 2),
    "flag": BOOLEAN,
    "s": StructType((StructField("a", LONG), StructField("B c", STRING))),
    "p": DATE,
}
SCHEMA = StructType(tuple(StructField(name, kind) for name, kind in KINDS.items()))

# Low and high of each column, file by file. Nothing is known of the last file.
FILES: list[dict[str, tuple[Any, Any]]] = [
    {
        "id": (0, 9),
        "name": ("apple", "cherry"),
        "d": ("0001-01-01", "1999-12-31"),
        "t": ("2020-01-01T00:00:00.000Z", "2020-01-01T10:00:00.000Z"),
        "n": ("2020-01-01T00:00:00", "2020-01-01T10:00:00"),
        "x": (-1.5, 2.5),
        "f": (-1.5, 0.1),
        "s.a": (1, 2),
        "s.B c": ("k", "m"),
    },
    {
        "id": (10, 19),
        "name": ("ma", "o"),
        "d": ("2000-01-01", "9999-12-31"),
        "t": ("2020-01-02T00:00:00.000Z", "2020-01-02T10:00:00.123Z"),
        "n": ("2020-01-02T00:00:00", "2020-01-02T10:00:00.123"),
        "x": (3.5, "NaN"),
        "f": (3.5, "Infinity"),
        "s.a": (3, 4),
        "s.B c": ("x", "z"),
    },
    {"id": (20, 2**63 - 1), "name": ("é", "😀"), "d": ("2010-01-01", "2010-01-02"), "x": (-9.0, -8.0), "s.a": (5, 5)},
    {},
]
BIG = ("12345678901234567890123456789012345.67", "12345678901234567890123456789012345.69")

PREDICATES = [
    "id = 15",
    "id > 19",
    "id >= 9223372036854775807",
    "id IS NULL",
    "id IS NOT NULL",
    "id BETWEEN 5 AND 12",
    f"id IN ({', '.join(str(number) for number in range(12, 60))})",
    "id = 15 OR name = 'b'",
    "id <> 15 AND x > 3",
    "name = 'banana'",
    "name LIKE 'm%'",
    "name > 'z'",
    "left(name, 1) = 'a'",
    f"name IN ({', '.join(map(repr, 'abcdefghijklmnopqrstuvw'))})",
    "d = DATE'0001-01-01'",
    "d > '9999-12-30'",
    "d < '2000-01-01'",
    "year(d) = 2010",
    "t > TIMESTAMP'2020-01-02 10:00:00.1234'",
    "t > TIMESTAMP'2020-01-02 10:00:00.125'",
    "to_date(t) = '2020-01-01'",
    "n >= TIMESTAMP_NTZ'2020-01-02 00:00:00'",
    "x > 3",
    "x < 0",
    "x = 2.5D",
    "f > 1",
    "f < -1.6D",
    "big = 12345678901234567890123456789012345.68",
    "big > 12345678901234567890123456789012345.69",
    "flag IS NULL",
    "flag = true",
    "s.a = 5",
    "S.`b C` = 'l'",
    "s.a = 5 AND p = '2020-01-01'",
    "p = '2020-01-01'",
    "p IS NULL AND id = 15",
    "p > '2020-01-01' OR id = 5",
    "id = 1 AND length(name) = 3",
    "length(name) = 3",
    "false",
    "NULL",
]


def stats(bounds: Mapping[str, tuple[Any, Any]], number: int) -> str | None:
    if not bounds:
        return None
    sides: list[dict[str, Any]] = [{}, {}]
    nulls = {name: 5 if (name, number) == ("id", 2) else 0 for name in KINDS if name not in {"s", "p"}}
    for name, pair in bounds.items():
        for side, value in zip(sides, pair, strict=True):
            outer, _, inner = name.partition(".")
            side.update({outer: {**side.get(outer, {}), inner: value}} if inner else {name: value})
    text = json.dumps(
        {"numRecords": 5 if number == 2 else 9, "minValues": sides[0], "maxValues": sides[1], "nullCount": nulls}
    )
    for place, value in zip(("minValues", "maxValues"), BIG, strict=True):
        # No float holds so many digits.
        text = text.replace(f'"{place}": {{', f'"{place}": {{"big": {value}, ')
    return text


def added(number: int, day: str | None) -> AddFile:
    bounds = FILES[number % len(FILES)]
    return AddFile(
        f"day={day}/f{number}.parquet", {"p": day}, 100 + number, 1, True, stats(bounds, number % len(FILES))
    )


def table_of(location: Path, configuration: Mapping[str, str], checkpoint: bool, tail: bool) -> Snapshot:
    """Files of a checkpoint, of which one is replaced and one is removed, and a commit with others after it."""
    log = DeltaLog(str(location), "t")
    protocol = Protocol(3, 7, frozenset({"v2Checkpoint", "timestampNtz"}), frozenset({"v2Checkpoint", "timestampNtz"}))
    metadata = Metadata("id", SCHEMA, ("p",), configuration, created_time=1)
    days = ["2020-01-01", None, "2020-01-02"]
    first = [added(number, days[number % 3]) for number in range(30)]
    Transaction(log, None).commit(operations.CREATE_TABLE, {}, [protocol, metadata, *first])
    if checkpoint:
        write_checkpoint(log.store, log.snapshot())
    if tail:
        gone = first[4].remove(2)
        Transaction(log, log.snapshot()).commit(
            operations.WRITE, {}, [gone, added(7, days[1]), *(added(n, "2020-01-03") for n in range(30, 36))]
        )
    return DeltaLog(str(location), "t").snapshot()


CONFIGURATIONS = {
    "both": {},
    "texts": {"delta.checkpoint.writeStatsAsStruct": "false"},
    "typed": {"delta.checkpoint.writeStatsAsJson": "false"},
    "none": {"delta.checkpoint.writeStatsAsJson": "false", "delta.checkpoint.writeStatsAsStruct": "false"},
    "sidecars": {"delta.checkpointPolicy": "v2"},
}


@pytest.fixture(params=CONFIGURATIONS)
def configuration(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("tail", [False, True])
def test_as_from_the_texts(
    tmp_path: Path, configuration: str, tail: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deltasql.log.skipping.pruning._FEW", few)
    monkeypatch.setattr("deltasql.log.replay.checkpoint.SMALL_BATCH", 4)
    monkeypatch.setattr("deltasql.log.upkeep.checkpoint_writer.GROUP_ROWS", 11)
    texts = table_of(tmp_path / "texts", {}, checkpoint=False, tail=tail)
    stored = table_of(tmp_path / "stored", CONFIGURATIONS[configuration], checkpoint=True, tail=tail)
    assert stored.segment.checkpoint is not None
    columns = ("path", "partitionValues", "size", "stats")
    skipping = 0
    for predicate in PREDICATES:
        asked = condition(predicate, SCHEMA, ("p",), timezone="UTC")
        expected = prune(texts.files(columns), predicate, SCHEMA, ("p",), timezone="UTC")
        skip = partial(skip_files, selection=asked, columns=READ_COLUMNS, timezone="UTC")
        found, total = stored.read_files(skip)
        assert total == texts.files(("path",)).num_rows
        assert found.column_names == list(READ_COLUMNS)
        wanted = set(zip(*(expected[name].to_pylist() for name in ("path", "size")), strict=True))
        actual = set(zip(*(found[name].to_pylist() for name in ("path", "size")), strict=True))
        if configuration == "none":
            assert wanted <= actual, predicate
            continue
        assert actual == wanted, predicate
        skipping += found.num_rows < total
    assert skipping > 30 or configuration == "none"


def test_columns_of_the_files_that_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.log.skipping.pruning._FEW", 0)
    snapshot = table_of(tmp_path / "a table", {}, checkpoint=True, tail=True)
    asked = condition("id = 5 AND p = '2020-01-03'", SCHEMA, ("p",))
    found, total = snapshot.read_files(lambda files: skip_files(files, asked, SCAN_COLUMNS))
    assert (total, found.column_names) == (35, list(SCAN_COLUMNS))
    whole = snapshot.files(SCAN_COLUMNS).to_pylist()
    assert found.num_rows == 3
    assert [row for row in whole if row["path"] in found["path"].to_pylist()] == found.to_pylist()


def test_only_what_a_predicate_needs_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.log.skipping.pruning._FEW", 0)
    snapshot = table_of(tmp_path / "t", {}, checkpoint=True, tail=False)
    read: list[str] = []
    plain = pq.ParquetFile.iter_batches

    def noted(self: pq.ParquetFile, *values: Any, columns: list[str], **options: Any) -> Any:
        read.extend(columns)
        return plain(self, *values, columns=columns, **options)

    snapshot.schema  # noqa: B018  The metadata is read before.
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", noted)
    skipped(snapshot, "id = 5")
    leaves = {"add.stats_parsed.minValues.id", "add.stats_parsed.maxValues.id", "add.stats_parsed.nullCount.id"}
    assert leaves <= set(read)
    assert not [name for name in read if name == "add.stats" or name.endswith("name")]
    read.clear()
    skipped(snapshot, "id = 5")
    skipped(snapshot, "id > 7 AND p = '2020-01-01'")
    assert not [name for name in read if "stats" in name]


def skipped(snapshot: Snapshot, predicate: str) -> int:
    asked = condition(predicate, SCHEMA, ("p",))
    read: Callable[[Any], Any] = lambda files: skip_files(files, asked, READ_COLUMNS)  # noqa: E731
    return int(snapshot.read_files(read)[0].num_rows)


def test_kept_statistics_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.log.skipping.pruning._FEW", 0)
    monkeypatch.setattr("deltasql.log.replay.checkpoint._CACHED_STATISTICS_BYTES", 1)
    snapshot = table_of(tmp_path / "t", {}, checkpoint=True, tail=False)
    assert [skipped(snapshot, text) for text in ("id = 5", "name = 'b'", "id = 5 AND name = 'b'", "id = 5")] == [
        15,
        15,
        15,
        15,
    ]


def test_an_end_of_time_does_not_wrap_around() -> None:
    import pyarrow as pa

    from deltasql.log.skipping.column_bounds import parse_statistics
    from deltasql.log.skipping.conditions import BoundedColumn

    last = pa.array([2**63 - 1], pa.timestamp("us", "UTC"))
    sides = pa.StructArray.from_arrays([last], names=["t"])
    nulls = pa.StructArray.from_arrays([pa.array([0])], names=["t"])
    typed = pa.StructArray.from_arrays(
        [sides, sides, nulls, pa.array([1])], names=["minValues", "maxValues", "nullCount", "numRecords"]
    )
    (bounds,) = parse_statistics(typed, [BoundedColumn(("t",), TIMESTAMP, None)])
    assert bounds.field("high").to_pylist() == [2**63 - 1]
