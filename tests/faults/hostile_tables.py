"""Tables with one thing in them that is not as it should be, and what statements make of them.

`python -m tests.faults.hostile_tables --cases 20000 --seed 1` makes as many tables, each a copy of a whole one in which
a field of an action, a checkpoint, a deletion vector, an aid or the catalog was changed. Each statement must give an
answer or a DeltaSqlError in time and without much memory, must leave alone what lies outside of the table, and must not
end the process.
"""

from __future__ import annotations

import argparse
import json
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import deltasql

SECONDS, MEBIBYTES = 10, 1024
"""Limits of a statement: of its processor time, and of the memory of its process."""
_ROOT = Path(__file__).parents[2]
_VALUES: tuple[Any, ...] = (
    None, "", "text", "5", "-1", "true", 0, 1, -1, 5, 2**31, 2**31 - 1, 2**63, 2**63 - 1, -(2**63), 10**12, 10**30, 1.5,
    1e300, float("inf"), float("nan"), True, False, [], [1], [None], ["a"], [[]], {}, {"a": 1}, {"a": "b"}, {"a": None},
    "\0", "a%00b", "\ud800", "\udc00x", "%", "%zz", "..", "../outside/canary", "/", "/dev/zero", "/etc/passwd",
    "file:///etc/passwd", "s3://bucket/x", "http://[::1", "x" * 300, "a/" * 600, "\n", "'; --", "\\", "NaN", "null",
    "[" * 5000, "{}", "[]", '{"type":"struct","fields":[]}', "2024-01-01", "é\u202e😀",
)  # fmt: skip
STATEMENTS = (
    "SELECT count(*) FROM {t}",
    "SELECT a, b FROM {t} WHERE a > 1 ORDER BY a",
    "DESCRIBE DETAIL {t}",
    "DESCRIBE HISTORY {t}",
    "SHOW TBLPROPERTIES {t}",
    "INSERT INTO {t} VALUES (100, 'new', 'x')",
    "DELETE FROM {t} WHERE a = 3",
    "UPDATE {t} SET b = 'u' WHERE a = 2",
    "SELECT a FROM {t} VERSION AS OF 2 WHERE a > 0",
    "RESTORE TABLE {t} TO VERSION AS OF 1",
    "VACUUM {t} RETAIN 0 HOURS DRY RUN",
    "OPTIMIZE {t}",
)
_TYPES = (pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_(), pa.binary(), pa.list_(pa.int64()), pa.date32())
_LOG = "_delta_log"


def make_table(folder: Path) -> None:
    """A warehouse with the table `t`: partitions, deletion vectors, a checkpoint and commits after it."""
    session = deltasql.connect(str(folder / "warehouse"))
    session.sql(
        "CREATE TABLE t (a INT COMMENT 'first', b STRING, p STRING) PARTITIONED BY (p) COMMENT 'a table' TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '4', 'user.key' = 'value')"
    )
    for number in range(6):
        session.sql(f"INSERT INTO t VALUES ({number}, 'b{number}', 'x'), ({number + 10}, 'c', 'y'), (3, 'd', 'x')")
    session.sql("DELETE FROM t WHERE a = 4")
    session.sql("DELETE FROM t WHERE a = 12 OR a = 3")
    session.close()
    (folder / "outside").mkdir()
    (folder / "outside" / "canary").write_text("canary")


def _table(case: Path) -> Path:
    return next((case / "warehouse").rglob(_LOG)).parent


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a JSON value, itself left out."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _changed(value: Any, chance: random.Random) -> str:
    """Puts another value at one place of a JSON value, or takes it away."""
    place = chance.choice(list(_places(value)))
    parent = value
    for key in place[:-1]:
        parent = parent[key]
    old = parent[place[-1]]
    if isinstance(old, str) and old[:1] == "{" and chance.random() < 0.7:
        inner = json.loads(old)
        if inner:
            what = _changed(inner, chance)
            parent[place[-1]] = json.dumps(inner)
            return f"{place} {what}"
    if chance.random() < 0.1:
        del parent[place[-1]]
        return f"{place} taken away"
    parent[place[-1]] = chance.choice(_VALUES)
    return f"{place} = {parent[place[-1]]!r:.60}"


def _text(value: Any, chance: random.Random) -> bytes:
    if chance.random() < 0.1:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return json.dumps(value).replace("Infinity", "1e400").encode()


def _drop_aids(log: Path, chance: random.Random) -> None:
    """Mostly without checksums, so that the commits are read; often without checkpoints."""
    if chance.random() < 0.8:
        for file in log.glob("*.crc"):
            file.unlink()
    if chance.random() < 0.6:
        for file in [*log.glob("*.checkpoint*.parquet"), *log.glob("_last_checkpoint")]:
            file.unlink()


def _field(table: Path, chance: random.Random) -> str:
    log = table / _LOG
    _drop_aids(log, chance)
    file = chance.choice(sorted(log.glob("*.json")))
    lines = file.read_bytes().splitlines()
    number = chance.randrange(len(lines))
    action = json.loads(lines[number])
    what = _changed(action, chance)
    lines[number] = _text(action, chance)
    file.write_bytes(b"\n".join(lines) + b"\n")
    return f"{file.name}:{number + 1} {what}"


def _new_action(table: Path, chance: random.Random) -> str:
    """One more action in a commit, of fields and values taken from anywhere."""
    log = table / _LOG
    _drop_aids(log, chance)
    file = chance.choice(sorted(log.glob("*.json")))
    kind = chance.choice(["add", "remove", "cdc", "txn", "domainMetadata", "sidecar", "commitInfo", "unknown"])
    domain = chance.choice(["delta.clustering", "delta.rowTracking", "user"])
    values = {
        "path": "p=x/f.parquet", "partitionValues": {"p": "x"}, "size": 1, "modificationTime": 1, "dataChange": True,
        "stats": '{"numRecords":1,"minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":0}}', "appId": "a",
        "version": 1, "domain": domain, "configuration": '{"clusteringColumns":[["a"]],"rowIdHighWaterMark":3}',
        "operation": "MERGE", "deletionTimestamp": 1, "tags": {"k": "v"}, "baseRowId": 1, "removed": False,
        "operationMetrics": {"a": "1"}, "operationParameters": {"a": "1"}, "job": {"jobId": "1"},
    }  # fmt: skip
    what = _changed(values, chance)
    with file.open("ab") as out:
        out.write(_text({kind: values}, chance) + b"\n")
    return f"{file.name} + {kind} {what}"


def _aid(table: Path, chance: random.Random) -> str:
    log = table / _LOG
    file = chance.choice([*sorted(log.glob("*.crc"))[-2:], log / "_last_checkpoint"])
    value = json.loads(file.read_bytes())
    value.pop("checksum", None)
    what = _changed(value, chance)
    file.write_bytes(_text(value, chance))
    return f"{file.name} {what}"


def _retyped(array: pa.Array, chance: random.Random) -> pa.Array:
    """The array with one of its fields, or itself, of another type."""
    if pa.types.is_struct(array.type) and array.type.num_fields and chance.random() < 0.9:
        index = chance.randrange(array.type.num_fields)
        children = [array.field(number) for number in range(array.type.num_fields)]
        names = [item.name for item in array.type]
        if chance.random() < 0.1 and len(children) > 1:
            del children[index], names[index]
        else:
            children[index] = _retyped(children[index], chance)
        return pa.StructArray.from_arrays(children, names, mask=array.is_null())
    kind = chance.choice(_TYPES)
    value = None if chance.random() < 0.2 else chance.choice(_VALUES)
    try:
        return pa.array([value] * len(array), kind)
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError):
        return pa.nulls(len(array), kind)


def _checkpoint(table: Path, chance: random.Random) -> str:
    log = table / _LOG
    for file in log.glob("*.crc"):
        file.unlink()
    file = chance.choice(sorted(log.glob("*.checkpoint*.parquet")))
    if chance.random() < 0.4:
        for commit in sorted(log.glob("*.json"))[: int(file.name[:20]) + 1]:
            commit.unlink()
    if chance.random() < 0.4:
        return _bytes(file, chance)
    rows = pq.read_table(file)
    index = chance.randrange(rows.num_columns)
    column = _retyped(rows.column(index).combine_chunks(), chance)
    rows = rows.set_column(index, rows.column_names[index], column)
    pq.write_table(rows, file)
    return f"{file.name} {rows.column_names[index]}: {column.type}"


def _bytes(file: Path, chance: random.Random) -> str:
    """Some bytes of a file changed, cut off or added; of Parquet mostly in its footer."""
    data = bytearray(file.read_bytes())
    how = chance.choice(["flip", "flip", "flip", "cut", "more"])
    if how == "cut":
        del data[chance.randrange(len(data)) :]
    elif how == "more":
        data += chance.randbytes(chance.choice([1, 100, 5000]))
    else:
        start = 0
        if data[-4:] == b"PAR1" and chance.random() < 0.7:
            start = max(0, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
        for _ in range(chance.choice([1, 1, 2, 8])):
            data[chance.randrange(start, len(data))] = chance.choice([0, 255, 127, 128, chance.randrange(256)])
    file.write_bytes(bytes(data))
    return f"{file.name} {how}"


def _file_of(pattern: str) -> Callable[[Path, random.Random], str]:
    def mutate(table: Path, chance: random.Random) -> str:
        return _bytes(chance.choice(sorted(table.rglob(pattern))), chance)

    return mutate


def _catalog(table: Path, chance: random.Random) -> str:
    warehouse = next(folder for folder in table.parents if folder.name == "warehouse")
    found = [file for file in warehouse.iterdir() if file.is_file()]
    return _bytes(chance.choice(sorted(found)), chance)


def _name(table: Path, chance: random.Random) -> str:
    """One file of the log once more, by another name."""
    log = table / _LOG
    file = chance.choice(sorted(path for path in log.iterdir() if path.is_file() and path.name[0] == "0"))
    number = chance.choice([0, 3, 9, 20, 10**9, 2**31, 2**63 - 1, 2**63, 10**20 - 1])
    ending = chance.choice([".json", ".crc", ".checkpoint.parquet", f".{number + 5:020d}.compacted.json",
                            ".checkpoint.0000000001.0000000002.parquet", ".checkpoint.x-y.json"])  # fmt: skip
    name = f"{number:020d}{ending}"
    shutil.copy(file, log / name)
    return f"{file.name} → {name}"


_MUTATIONS: tuple[tuple[int, Callable[[Path, random.Random], str]], ...] = (
    (50, _field), (12, _new_action), (8, _aid), (14, _checkpoint), (4, _file_of("deletion_vector_*.bin")),
    (4, _catalog), (4, _name), (2, _file_of("*.json")), (2, _file_of("part-*.parquet")),
)  # fmt: skip


class Worker:
    """The process that runs the statements; another takes its place where it ends or does not answer."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, case: Path, table: str, statements: Sequence[str]) -> tuple[list[list[Any]], int]:
        """The outcome of each statement, and the MiB that the process has needed at most."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.hostile_worker"], cwd=_ROOT, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        process.stdin.write(json.dumps([str(case), table, statements]).encode() + b"\n")
        begun = "connect"
        deadline = time.monotonic() + 6 * SECONDS
        while True:
            answer = self._line(process, deadline)
            if answer is None or "found" in answer:
                break
            begun, deadline = answer["begun"], time.monotonic() + 3 * SECONDS
        if answer is None:
            died = process.poll()
            self.close()
            kind = "hangs" if died is None else "ends the process"
            return [[begun, kind, str(died), 0.0]], 0
        if answer["mebibytes"] > MEBIBYTES:
            self.close()
        return answer["found"], answer["mebibytes"]

    @staticmethod
    def _line(process: subprocess.Popen[bytes], deadline: float) -> Any:
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return None
        line = process.stdout.readline()
        if not line:
            process.wait()
            return None
        return json.loads(line)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


@dataclass
class Report:
    """Numbers of outcomes, and each fault with the case that shows it."""

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    conditions: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        numbers = ", ".join(f"{kind} {count}" for kind, count in sorted(self.outcomes.items()))
        return f"{self.cases} cases: {numbers}; {len(self.faults)} faults"


class Hunt:
    """Makes cases, and has a worker run the statements on each."""

    def __init__(self, folder: Path, share: float = 0.5) -> None:
        self._share = share
        self._whole, self._case = folder / "whole", folder / "case"
        self._whole.mkdir()
        make_table(self._whole)
        self._worker = Worker()
        self.report = Report()

    def run(self, seed: str) -> list[str]:
        """The faults of one case."""
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._whole, self._case)
        chance = random.Random(seed)
        table = _table(self._case)
        weights = [weight for weight, _ in _MUTATIONS]
        mutate = chance.choices([function for _, function in _MUTATIONS], weights)[0]
        what = mutate(table, chance)
        by_name = mutate is _catalog or chance.random() < 0.1
        # Some of them, in their order: what one leaves is what the next one reads.
        chosen = [statement for statement in STATEMENTS if chance.random() < self._share]
        found, peak = self._worker.run(self._case, "t" if by_name else f"delta.`{table}`", chosen)
        faults = []
        for statement, kind, detail, seconds in found:
            self.report.outcomes[kind] += 1
            self.report.conditions[detail] += kind == "error"
            if kind not in ("answer", "error", "engine"):
                faults.append(f"{kind}: {detail} | {statement}")
            elif seconds > SECONDS:
                faults.append(f"takes {seconds:.0f} s | {statement}")
        if peak > MEBIBYTES:
            faults.append(f"takes {peak} MiB")
        if [path.name for path in (self._case / "outside").iterdir()] != ["canary"]:
            faults.append("touches what lies outside")
        self.report.cases += 1
        self.report.faults += [f"{fault} | {seed} {what}" for fault in faults]
        return self.report.faults[len(self.report.faults) - len(faults) :]

    def close(self) -> None:
        self._worker.close()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=20000)
    options.add_argument("--seed", default="1")
    options.add_argument("--seconds", type=float, default=float("inf"))
    given = options.parse_args()
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        hunt = Hunt(Path(folder))
        for number in range(given.cases):
            if time.monotonic() > end:
                break
            for fault in hunt.run(f"{given.seed}/{number}"):
                print(fault.encode("utf-8", "backslashreplace").decode(), flush=True)
            if number % 100 == 99:
                print(hunt.report, file=sys.stderr, flush=True)
        hunt.close()
        print(hunt.report)
        print(hunt.report.conditions.most_common())
        return 1 if hunt.report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
