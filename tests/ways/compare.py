"""The same statements with the files moved by Spark's executors and by the driver: rows, log, data files, errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq

from deltasql import DeltaSqlError, Session
from deltasql.plan.hidden_names import IS_CHANGE


class StartedError(Exception):
    """An engine was asked for."""


MODES = ("EXECUTORS", "DRIVER")
OWN = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}")
"""Ids that are made up: of tables, columns, files."""
TINY = re.compile(r"Decimal\('(-?[\d.]+E-\d+)'\)")
"""A decimal of many places, which has one more zero where it comes from the JVM one by one."""
ORIGIN = re.compile(r"/deltasql_origin=[^/}]+")
"""A folder by which the writer of a file tells whose successor it is."""
OF_FILES = re.compile(r".*(Files|Bytes|Time|[sS]ize|Partitions|Batches|DeletionVectors).*")
"""Metrics that depend on how many files Spark makes, on their sizes, and on the clock."""
PHYSICAL: dict[str, str] = {}
"""The columns of the table whose log is read, by the names that were made up for them."""
TELLS_SIZES = re.compile("OPTIMIZE|RESTORE|REORG")
Json = dict[str, Any]

CDF = "'delta.enableChangeDataFeed' = 'true'"
VECTORS = "'delta.enableDeletionVectors' = 'true'"
MAPPED = "'delta.columnMapping.mode' = 'name'"
TRACKED = "'delta.enableRowTracking' = 'true'"


class Both:
    """A warehouse for each mover."""

    def __init__(self, executors: Session, driver: Session) -> None:
        self.sessions = dict(zip(MODES, (executors, driver), strict=True))

    def run(self, *statements: str, fails: bool = False) -> Any:
        """What the last statement gives, once all have given the same either way."""
        outcomes: dict[str, list[Any]] = {}
        for mode, session in self.sessions.items():
            with moved_by(session, mode):
                outcomes[mode] = [outcome(session, text) for text in statements]
        for text, *results in zip(statements, *outcomes.values(), strict=True):
            assert results[0] == results[1], f"{text}: {results}"
            assert fails or len(results[0]) == 3, results[0]
        return outcomes[MODES[0]][-1]

    def same_log(self, table: str = "t") -> None:
        """Compares the logs of a table, and the columns of its data files."""
        first, second = (history(session, table) for session in self.sessions.values())
        assert len(first) == len(second)
        for version, (own, other) in enumerate(zip(first, second, strict=True)):
            found = list(differences(own, other))
            assert not found, f"version {version}: {found}"


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Where two values differ, for people."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys((*one, *other)):
            yield from differences(one.get(name), other.get(name), f"{place}/{name}")
    elif one != other:
        yield f"{place}: {one!r} | {other!r}"


@contextmanager
def moved_by(session: Session, mode: str) -> Iterator[None]:
    session.sql(f"SET deltasql.io.mode = {mode}")
    try:
        yield
    finally:
        session.sql("RESET deltasql.io.mode")


def outcome(session: Session, text: str) -> Any:
    """The columns and the rows, in any order, or the error; without the names of files and folders."""
    try:
        result = session.sql(text)
        rows = [] if TELLS_SIZES.match(text) else sorted(masked(session, repr(row)) for row in result.collect())
        kept = {key: value for key, value in result.metrics.items() if not OF_FILES.fullmatch(key)}
        return str(result.schema), rows, kept
    except DeltaSqlError as error:
        if error.condition.startswith("FAILED_READ_FILE."):
            # Each says in its own words what it had expected.
            return "FAILED_READ_FILE", ""
        return error.condition, masked(session, str(error))


def plain(text: str) -> str:
    for name, number in PHYSICAL.items():
        text = text.replace(name, number)
    return OWN.sub("ID", ORIGIN.sub("", text))


def masked(session: Session, text: str) -> str:
    text = text.replace(str(session.catalog.warehouse), "WAREHOUSE")
    text = TINY.sub(lambda found: repr(Decimal(found[1]).normalize()), text)
    text = re.sub(r"part-\d+-[-\w.]*parquet", "FILE", text)
    return plain(text)


def history(session: Session, table: str) -> list[Any]:
    root = Path(session.log(table).location)
    PHYSICAL.clear()
    return [version(session, root, path) for path in sorted((root / "_delta_log").glob("*.json"))]


def version(session: Session, root: Path, path: Path) -> Json:
    text = path.read_text()
    for name in re.findall(r'physicalName\\":\\"(col-[-0-9a-f]+)', text):
        PHYSICAL.setdefault(name, f"column {len(PHYSICAL)}")
    lines = [json.loads(line) for line in text.splitlines()]
    found: Json = {}
    for kind in ("protocol", "metaData", "domainMetadata", "commitInfo"):
        found[kind] = [without_chance(session, line[kind]) for line in lines if kind in line]
    for kind in ("add", "remove", "cdc"):
        found[kind] = of_files(root, [line[kind] for line in lines if kind in line])
    return found


def without_chance(session: Session, action: Json) -> Any:
    parts = {
        key: value
        for key, value in action.items()
        if key not in {"createdTime", "timestamp", "inCommitTimestamp", "operationMetrics", "isolationLevel"}
    }
    parts["metrics"] = {k: v for k, v in action.get("operationMetrics", {}).items() if not OF_FILES.fullmatch(k)}
    return masked(session, json.dumps(parts, sort_keys=True))


def of_files(root: Path, files: Sequence[Json]) -> Any:
    """What is known of the files of each partition together: Spark may have cut its rows into several."""
    parts: dict[str, list[Json]] = {}
    for file in files:
        values = {plain(name): value for name, value in (file.get("partitionValues") or {}).items()}
        parts.setdefault(plain(json.dumps(values, sort_keys=True)), []).append(file)
    return {values: together(root, found) for values, found in sorted(parts.items())}


def together(root: Path, files: Sequence[Json]) -> Any:
    stats = [json.loads(file["stats"]) for file in files if file.get("stats")]
    marked = sum((file.get("deletionVector") or {}).get("cardinality", 0) for file in files)
    told = {
        "folders": {plain(file["path"].rpartition("/")[0].replace(f"/{IS_CHANGE}=false", "")) for file in files},
        "rows": sum(item["numRecords"] for item in stats),
        "nulls": folded([item.get("nullCount", {}) for item in stats], sum),
        "min": folded([item.get("minValues", {}) for item in stats], min),
        "max": folded([item.get("maxValues", {}) for item in stats], max),
        "tight": {item.get("tightBounds") for item in stats},
        "marked": marked,
        "tags": sorted({name for file in files for name in file.get("tags") or ()}),
        "changes": {file.get("dataChange") for file in files},
        "row ids": {"baseRowId" in file for file in files},
        "row version": {file.get("defaultRowCommitVersion") for file in files},
        "columns": {columns(root / unquote(file["path"])) for file in files},
    }
    return {name: plain(str(value)) for name, value in told.items()}


def folded(values: Sequence[Any], fold: Any) -> Any:
    """One value for each leaf; None where not all files have one, for then it says nothing of the partition."""
    if any(isinstance(value, Mapping) for value in values):
        # Physical names are drawn at random, and both sides are told in the order of what they stand for.
        names = sorted({name for value in values for name in value}, key=plain)
        return {plain(name): folded([value[name] for value in values if name in value], fold) for name in names}
    return (
        fold(values, key=lambda value: (isinstance(value, str), value)) if values and fold is not sum else sum(values)
    )


def columns(path: Path) -> str:
    """Names, types and ids of all nodes of a file, but for `required`: see `test_literals_both_ways`."""
    if not path.exists() or path.suffix != ".parquet":
        return "gone"
    described = str(pq.read_metadata(path).schema).partition(" {\n")[2]
    return plain(re.sub(r"\b(required|optional) (group|binary|boolean|int|fl|double)", r"\2", described))
