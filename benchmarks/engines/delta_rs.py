"""delta-rs, through its Python package. It has no SQL for these statements: each is a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deltalake import CommitProperties, DeltaTable, Field, Schema, write_deltalake
from deltalake.schema import PrimitiveType


class DeltaRs:
    """Tables lie in the work folder, by name or wherever a path says."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, work: str, values: Mapping[str, str]) -> None:
        WORK[work](self._path(values), values)

    def _path(self, values: Mapping[str, str]) -> str:
        return values.get("path") or str(self._folder / values["table"])


def _open(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path)


def _open_files(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).get_add_actions(flatten=True)


def _checkpoint(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).create_checkpoint()


def _plan_scan(path: str, values: Mapping[str, str]) -> None:
    """Opens the table, which a session keeps, and lists the files of a partition and a range."""
    if path not in _OPENED:
        _OPENED[path] = DeltaTable(path)
    _OPENED[path].file_uris(file_pruning_predicate=values["filter"])


_OPENED: dict[str, DeltaTable] = {}


def _create(path: str, values: Mapping[str, str]) -> None:
    DeltaTable.create(path, Schema([Field("id", PrimitiveType("integer")), Field("v", PrimitiveType("string"))]))


def _add_column(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).alter.add_columns(Field(values["column"], PrimitiveType("integer")))


def _write_rows(path: str, values: Mapping[str, str]) -> None:
    write_deltalake(path, _rows(values["rows"]))


def _insert(path: str, values: Mapping[str, str]) -> None:
    write_deltalake(path, _two_rows([1, 2], ["a", "b"]), mode="append")


def _merge(path: str, values: Mapping[str, str]) -> None:
    source = _two_rows([2, 3], ["x", "y"])
    merge = DeltaTable(path).merge(source, "t.id = s.id", source_alias="s", target_alias="t")
    merge.when_matched_update({"v": "s.v"}).when_not_matched_insert_all().execute()


def _update(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).update({"v": "'u'"}, predicate="id = 1")


def _delete(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).delete("id = 3")


def _select(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).to_pyarrow_table()


def _two_rows(ids: list[int], texts: list[str]) -> Any:
    import pyarrow as pa

    return pa.table({"id": pa.array(ids, pa.int32()), "v": texts})


def _merge_rows(path: str, values: Mapping[str, str]) -> None:
    merge = DeltaTable(path).merge(_rows(values["changes"]), "t.id = s.id", source_alias="s", target_alias="t")
    updated = merge.when_matched_update({"amount": "s.amount", "name": "s.name"})
    updated.when_not_matched_insert_all().execute()


def _update_rows(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).update({"amount": "amount + 1"}, predicate="id % 100 = 3")


def _delete_rows(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).delete("id % 100 = 7")


def _write_lineitem(path: str, values: Mapping[str, str]) -> None:
    import pyarrow.dataset as ds

    # Batch by batch, as its users write what is larger than memory.
    write_deltalake(path, ds.dataset(values["rows"]).scanner().to_reader())


def _write_small_lineitem(path: str, values: Mapping[str, str]) -> None:
    import pyarrow.dataset as ds

    write_deltalake(path, ds.dataset(values["rows"]).scanner().to_reader(), target_file_size=int(values["small"]))


def _append_and_compact(path: str, values: Mapping[str, str]) -> None:
    """It has no auto compaction, and no row is appended before the call."""
    DeltaTable(path).optimize.compact(target_size=128 << 20)


def _write_changes(path: str, values: Mapping[str, str]) -> None:
    write_deltalake(path, _rows(values["changes"]))


def _delete_lineitem(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).delete("l_orderkey % 100 = 3")


def _update_lineitem(path: str, values: Mapping[str, str]) -> None:
    tax = "CAST(l_tax + 0.01 AS DECIMAL(15,2))"
    DeltaTable(path).update({"l_comment": "'x'", "l_tax": tax}, predicate="l_orderkey % 2000 = 5")


def _merge_lineitem(path: str, values: Mapping[str, str]) -> None:
    on = "t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber"
    source = DeltaTable(str(Path(path).with_name(values["source"]))).to_pyarrow_table()
    merge = DeltaTable(path).merge(source, on, source_alias="s", target_alias="t")
    merge.when_matched_update({"l_quantity": "s.l_quantity"}).when_not_matched_insert_all().execute()


def _set(path: str, values: Mapping[str, str]) -> None:
    """Sizes are arguments of the calls that write files."""


def _zorder_lineitem(path: str, values: Mapping[str, str]) -> None:
    DeltaTable(path).optimize.z_order(["l_partkey", "l_shipdate"], target_size=int(values["size"]))


def _rows(folder: str) -> Any:
    # Imported here, since opening a table, whose peak memory counts, does not need it.
    import pyarrow.parquet as pq

    return pq.read_table(folder)


def _append_row(path: str, values: Mapping[str, str]) -> None:
    import pyarrow as pa

    kind = pa.schema([("id", pa.int64()), ("v", pa.int64())])
    # By default it gives up after 15 lost races, which 16 writers soon have.
    patient = CommitProperties(max_commit_retries=10_000)
    for _ in range(int(values["times"])):
        rows = pa.table({"id": [int(values["id"])], "v": [0]}, kind)
        write_deltalake(path, rows, mode="append", commit_properties=patient)


def _drop(path: str, values: Mapping[str, str]) -> None:
    """A table of delta-rs is only its folder; the driver removes that."""


WORK: dict[str, Callable[[str, Mapping[str, str]], None]] = {
    "open": _open,
    "open_files": _open_files,
    "plan_scan": _plan_scan,
    "checkpoint": _checkpoint,
    "create": _create,
    "add_column": _add_column,
    "write_rows": _write_rows,
    "merge_rows": _merge_rows,
    "update_rows": _update_rows,
    "delete_rows": _delete_rows,
    "write_lineitem": _write_lineitem,
    "write_small_lineitem": _write_small_lineitem,
    "append_and_compact": _append_and_compact,
    "write_changes": _write_changes,
    "delete_lineitem": _delete_lineitem,
    "update_lineitem": _update_lineitem,
    "merge_lineitem": _merge_lineitem,
    "small_files": _set,
    "auto_compaction": _set,
    "zorder_lineitem": _zorder_lineitem,
    "append_row": _append_row,
    "insert": _insert,
    "merge": _merge,
    "update": _update,
    "delete": _delete,
    "select": _select,
    "drop": _drop,
}
