"""Changes of one thing in a table: a field of an action, a checkpoint, a footer, a vector, an aid, the catalog.

Each is made by chance, and tells what it was and whether the rows of the table are the same after it: then there is no
other right answer than before, or an error.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deltasql.log.row_groups import Struct

OUTSIDE, _GONE, _INNER = "OUTSIDE", object(), "⟶"
_LOG = "_delta_log"
VALUES: tuple[Any, ...] = (
    _GONE, None, "", "text", "5", "-1", "true", 0, 1, -1, 5, 2**31, 2**31 - 1, 2**63, 2**63 - 1, -(2**63), 10**12,
    10**30, 1.5, 1e300, float("inf"), float("nan"), True, False, [], [1], [None], ["a"], [[]], {}, {"a": 1},
    {"a": "b"}, {"a": None}, "\0", "a%00b", "\ud800", "\udc00x", "%", "%zz", "..", "../outside/canary", OUTSIDE, "/",
    "file:" + OUTSIDE, "/dev/zero", "/etc/passwd", "file:///etc/passwd", "s3://bucket/x", "http://[::1", "x" * 300,
    "a/" * 600, "\n", "'; --", "\\", "NaN", "null", "[" * 5000, "{}", "[]", '{"type":"struct","fields":[]}',
    "2024-01-01", "é\u202e😀",
)  # fmt: skip
_TYPES = (pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_(), pa.binary(), pa.list_(pa.int64()), pa.date32())
_NUMBERS = (0, 1, -1, 2, 7, 100, 2**15, 2**31 - 1, -(2**31), 2**32, 2**62, -(2**63), 2**63 - 1)
_SAME_ROWS = {
    "commitInfo": None, "txn": None, "cdc": None, "domainMetadata": None,
    "metaData": {"name", "description", "createdTime", "id"},
    "add": {"modificationTime", "dataChange", "tags", "size", "baseRowId", "defaultRowCommitVersion"},
    "remove": {"dataChange", "deletionTimestamp", "extendedFileMetadata", "partitionValues", "size", "tags", "stats"},
}  # fmt: skip
"""Fields by their actions that say nothing of the rows; None stands for all."""


class Mutation(NamedTuple):
    """What was changed, and whether the rows of the table are the same."""

    what: str
    same_rows: bool = False


Mutate = Callable[[Path, random.Random], Mutation]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a JSON value, also of those in texts that are JSON; itself is left out."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        # The name of a vector's file may begin with a bracket, too.
        with suppress(json.JSONDecodeError):
            yield from places(json.loads(value), (*path, _INNER))
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a JSON value with another value at a path."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if key == _INNER:
        return json.dumps(replaced(json.loads(value), rest, new))
    copy = value.copy()
    if new is _GONE and not rest:
        del copy[key]
    else:
        copy[key] = replaced(value[key], rest, new)
    return copy


def _changed(value: Any, table: Path, chance: random.Random) -> tuple[Any, tuple[Any, ...], str]:
    """A JSON value with another value at one of its places, each of which is as likely whatever the lists are."""
    found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for path in places(value):
        found.setdefault(tuple("*" if isinstance(key, int) else key for key in path), []).append(path)
    return _put(value, chance.choice(found[chance.choice(list(found))]), table, chance)


def _put(value: Any, path: tuple[Any, ...], table: Path, chance: random.Random) -> tuple[Any, tuple[Any, ...], str]:
    new = chance.choice(VALUES)
    if isinstance(new, str):
        new = new.replace(OUTSIDE, str(_outside(table)))
    told = "taken away" if new is _GONE else f"= {new!r:.60}"
    return replaced(value, path, new), path, f"{'.'.join(map(str, path))} {told}"


def _outside(table: Path) -> Path:
    return next(folder for folder in table.parents if folder.name == "warehouse").parent / "outside" / "canary"


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
        for file in [*log.glob("*.checkpoint*"), *log.glob("_last_checkpoint")]:
            file.unlink()


def _field(table: Path, chance: random.Random) -> Mutation:
    """A field of an action, each of which is as likely, however often it is there."""
    log = table / _LOG
    _drop_aids(log, chance)
    found: dict[tuple[Any, ...], list[tuple[Path, int, tuple[Any, ...]]]] = {}
    for file in sorted(log.glob("*.json")):
        for number, line in enumerate(file.read_bytes().splitlines()):
            for path in places(json.loads(line)):
                name = tuple("*" if isinstance(key, int) else key for key in path)
                found.setdefault(name, []).append((file, number, path))
    file, number, path = chance.choice(found[chance.choice(list(found))])
    lines = file.read_bytes().splitlines()
    action, path, what = _put(json.loads(lines[number]), path, table, chance)
    lines[number] = _text(action, chance)
    file.write_bytes(b"\n".join(lines) + b"\n")
    among = _SAME_ROWS.get(path[0], set())
    same = among is None or (len(path) > 1 and path[1] in among)
    return Mutation(f"{file.name}:{number + 1} {what}", same)


def _new_action(table: Path, chance: random.Random) -> Mutation:
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
    changed, _, what = _changed(values, table, chance)
    with file.open("ab") as out:
        out.write(_text({kind: changed}, chance) + b"\n")
    return Mutation(f"{file.name} + {kind} {what}", kind in {"txn", "commitInfo", "unknown", "domainMetadata"})


def _aid(table: Path, chance: random.Random) -> Mutation:
    log = table / _LOG
    file = chance.choice([*sorted(log.glob("*.crc"))[-2:], log / "_last_checkpoint"])
    value = json.loads(file.read_bytes())
    value.pop("checksum", None)
    changed, _, what = _changed(value, table, chance)
    file.write_bytes(_text(changed, chance))
    return Mutation(f"{file.name} {what}", True)


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
    value = None if chance.random() < 0.2 else chance.choice(VALUES)
    try:
        return pa.array([value] * len(array), kind)
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError):
        return pa.nulls(len(array), kind)


def _checkpoint(table: Path, chance: random.Random) -> Mutation:
    log = table / _LOG
    for file in log.glob("*.crc"):
        file.unlink()
    file = chance.choice(sorted([*log.glob("*.checkpoint*.parquet"), *log.glob("_sidecars/*.parquet")]))
    if chance.random() < 0.4:
        last = max(int(found.name[:20]) for found in log.glob("*.checkpoint*"))
        for commit in sorted(log.glob("0*.json")):
            if ".checkpoint" not in commit.name and int(commit.name[:20]) <= last:
                commit.unlink()
    how = chance.random()
    if how < 0.25:
        return _bytes(file, chance)
    if how < 0.5:
        return _footer(file, chance)
    rows = pq.read_table(file)
    index = chance.randrange(rows.num_columns)
    column = _retyped(rows.column(index).combine_chunks(), chance)
    rows = rows.set_column(index, rows.column_names[index], column)
    pq.write_table(rows, file)
    return Mutation(f"{file.name} {rows.column_names[index]}: {column.type}")


def _bytes(file: Path, chance: random.Random, same_rows: bool = False) -> Mutation:
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
    return Mutation(f"{file.name} {how}", same_rows)


def _footer(file: Path, chance: random.Random) -> Mutation:
    """A field of the Thrift structs in a Parquet file's footer."""
    data = file.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = Struct.parsed(data[start:-8])
    what = _changed_struct(footer, chance)
    written = footer.to_bytes()
    file.write_bytes(data[:start] + written + len(written).to_bytes(4, "little") + b"PAR1")
    return Mutation(f"{file.name} footer {what}")


def _changed_struct(struct: Struct, chance: random.Random) -> str:
    if not struct.values:
        struct.put_number(chance.randint(1, 20), chance.choice(_NUMBERS))
        return "a new field"
    number = chance.choice(list(struct.values))
    kind, old = struct.values[number]
    if kind == 12 and chance.random() < 0.85:
        inner = struct.struct(number)
        what = _changed_struct(inner, chance)
        struct.put_struct(number, inner)
        return f"{number}.{what}"
    if kind == 9 and old and old[0] & 15 == 12 and chance.random() < 0.85 and (items := struct.structs(number)):
        what = _changed_struct(chance.choice(items), chance)
        struct.put_structs(number, items)
        return f"{number}[].{what}"
    how = chance.random()
    if how < 0.15:
        struct.drop(number)
        return f"{number} taken away"
    if how < 0.3:
        struct.put_text(number, chance.choice(["", "x", "\0", "a" * 5000]))
    elif how < 0.4:
        struct.put_struct(number, Struct())
    elif how < 0.5:
        struct.values[number] = (9, chance.choice([b"\x0c", b"\xfc\xff\xff\xff\xff\x0f", b"\x15\x02", b"\xf5\x80"]))
    else:
        struct.put_number(number, chance.choice(_NUMBERS), kind if kind in {5, 6} else 6)
    return f"{number}: {kind} = {struct.values[number][1][:12]!r}"


def _of_file(
    pattern: str, change: Callable[[Path, random.Random], Mutation], table: Path, chance: random.Random
) -> Any:
    found = sorted(table.rglob(pattern))
    # A table without such files has others.
    return change(chance.choice(found), chance) if found else _field(table, chance)


def _catalog(table: Path, chance: random.Random) -> Mutation:
    warehouse = next(folder for folder in table.parents if folder.name == "warehouse")
    found = [file for file in warehouse.iterdir() if file.is_file()]
    return _bytes(chance.choice(sorted(found)), chance, True)


def _name(table: Path, chance: random.Random) -> Mutation:
    """One file of the log once more, by another name."""
    log = table / _LOG
    file = chance.choice(sorted(path for path in log.iterdir() if path.is_file() and path.name[0] == "0"))
    number = chance.choice([0, 3, 9, 20, 10**9, 2**31, 2**63 - 1, 2**63, 10**20 - 1])
    ending = chance.choice([".json", ".crc", ".checkpoint.parquet", f".{number + 5:020d}.compacted.json",
                            ".checkpoint.0000000001.0000000002.parquet", ".checkpoint.x-y.json"])  # fmt: skip
    name = f"{number:020d}{ending}"
    if name != file.name:
        shutil.copy(file, log / name)
    return Mutation(f"{file.name} → {name}")


MUTATIONS: tuple[tuple[int, Mutate], ...] = (
    (50, _field), (8, _new_action), (8, _aid), (14, _checkpoint),
    (4, partial(_of_file, "deletion_vector_*.bin", partial(_bytes, same_rows=True))),
    (4, _catalog), (4, _name), (2, partial(_of_file, "0*.json", _bytes)),
    (2, partial(_of_file, "part-*.parquet", _bytes)), (6, partial(_of_file, "part-*.parquet", _footer)),
)  # fmt: skip


def mutated(table: Path, chance: random.Random) -> tuple[Mutation, bool]:
    """Changes one thing in a table; and whether that was its entry in the catalog."""
    mutate = chance.choices([function for _, function in MUTATIONS], [weight for weight, _ in MUTATIONS])[0]
    return mutate(table, chance), mutate is _catalog
