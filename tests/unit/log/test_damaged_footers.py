"""Checkpoints whose footers were changed at random: an answer or a typed error, and a process that lives on."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltasql
from deltasql.log.row_groups import Footer, parse_footer, read_footer
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

# In a process of its own: what is tested is that none dies.
READ = """
import random, struct, sys
from pathlib import Path
from deltasql.base.errors import InvalidCheckpointError
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.actions.file_tables import ADD
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.storage.stores import open_store

root, path = sys.argv[1:]
data = (Path(root) / path).read_bytes()
footer = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
# The type of a column chunk, a size that does not fit it: pyarrow ends the process when it is asked for these.
known = [data.replace(b"\\x15\\x0c\\x19", b"\\x15\\x04\\x19"), data.replace(b"\\x15\\x0c\\x19", b"\\x15\\x0e\\x19")]
for number in range(300):
    rng = random.Random(number)
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.randrange(footer, len(data) - 8)
        new = rng.choice([b"\\xff", b"\\xff\\xff\\xff\\xff\\x0f", bytes([rng.randrange(256)])])
        damaged[place : place + len(new)] = new
    known.append(bytes(damaged[: len(data)]))
answers = errors = 0
for damaged in known:
    (Path(root) / path).write_bytes(damaged)
    store = open_store(root)
    checkpoint = Checkpoint(store, "t", CheckpointFiles(2, 0, (store.head(path),)))
    for read in (
        lambda: checkpoint.actions("protocol"),
        lambda: checkpoint.adds(ADD.names),
        lambda: checkpoint.partitions(()),
        lambda: checkpoint.removes(["path"]),
    ):
        try:
            read()
            answers += 1
        except InvalidCheckpointError:
            errors += 1
print(answers > 0, errors > 300)
"""


def test_no_damage_ends_the_process(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        for number in range(2):
            session.sql(f"INSERT INTO t VALUES ({number})")
        log = session.log("t")
        write_checkpoint(log.store, log.snapshot())
        path = f"_delta_log/{2:020}.checkpoint.parquet"
        done = subprocess.run(
            [sys.executable, "-c", READ, log.location, path], capture_output=True, text=True, check=False, timeout=300
        )
    assert (done.returncode, done.stdout.strip()) == (0, "True True"), done.stderr[-2000:]


def footer_of(data: bytes) -> Footer:
    return read_footer(pa.BufferReader(data))


def test_the_footer_is_what_pyarrow_says() -> None:
    sink = io.BytesIO()
    table = pa.table({"a": [1, None, 3], "s": [{"x": "1"}, {"x": None}, None], "l": [[1], [], [2, 3]]})
    pq.write_table(table, sink, row_group_size=2)
    metadata, footer = pq.ParquetFile(sink).metadata, footer_of(sink.getvalue())
    assert [group.rows for group in footer.groups] == [2, 1]
    for number, group in enumerate(footer.groups):
        for index, chunk in enumerate(group.chunks):
            column = metadata.row_group(number).column(index)
            assert (chunk.values, chunk.nulls) == (column.num_values, column.statistics.null_count)
            assert footer.leaves[column.path_in_schema] == index


def test_a_file_without_rows_has_no_groups() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), sink)
    assert all(group.rows == 0 for group in footer_of(sink.getvalue()).groups)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"\xff\xff\xff\xffPAR1", b"x" * 100])
def test_what_is_no_parquet_file(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"footer|Parquet"):
        footer_of(data)


@pytest.mark.parametrize(
    "footer",
    [
        b"",
        b"\x49\xfc\xff\xff\xff\xff\x0f",  # more row groups than bytes
        b"\x19\xff" * 40,
        b"\x1c" * 5000,  # a struct in a struct in a struct
        b"\x1b\xff\xff\xff\xff\x0f\x88",
        b"\x16" + b"\xff" * 30,
        b"\x49\x1c\x00\x00",  # a row group without rows
        b"\x18\x7fabc",
        b"\x1e\x00",
    ],
)
def test_damage_is_a_value_error(footer: bytes) -> None:
    with pytest.raises(ValueError, match="footer"):
        parse_footer(footer)
