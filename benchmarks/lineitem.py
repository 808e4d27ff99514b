"""TPC-H's `lineitem` for the case `at-size`: its files, rows to merge into it, and the sums that are left."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.tpch import generated

if TYPE_CHECKING:
    import numpy as np

PARTS = 8
SUMS = "SELECT count(*), sum(l_orderkey), sum(l_quantity), sum(l_tax) FROM {table}"
"""A query whose one row has the number of rows of a table, and sums of three columns."""
_DELETED, _UPDATED, _MATCHED, _NEW = 3, 5, 7, 32
"""Remainders of `l_orderkey`, by 2,000 for the update and by 100 for the others, of the rows that statements touch."""
_BEYOND = 1 << 40
"""Added to the keys of new rows, so that they meet none."""


def lineitem(cache: Path, scale: float) -> Path:
    """A folder of Parquet files, about 6,000,000 × `scale` rows of 16 columns, made on first use.

    Raises FileNotFoundError where the generator is not installed.
    """
    return generated(cache / f"lineitem-{scale:g}", scale, "--tables", "lineitem", "--parts", str(PARTS)) / "lineitem"


def lineitem_changes(cache: Path, scale: float) -> Path:
    """A folder with the rows to merge, 2 % of the table: half are new, the others have a larger quantity.

    Raises FileNotFoundError where the generator is not installed.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    folder = cache / f"lineitem-changes-{scale:g}"
    if folder.exists():
        return folder
    parts = []
    for path in sorted(lineitem(cache, scale).glob("*.parquet")):
        rows = pq.read_table(path, schema=_plain_schema(path))
        keys = rows.column("l_orderkey").to_numpy()
        parts.append(rows.filter(pa.array(np.isin(keys % 100, (_MATCHED, _NEW)))))
    rows = pa.concat_tables(parts)
    keys = rows.column("l_orderkey").to_numpy()
    quantity = pc.add(rows.column("l_quantity"), pa.scalar(1)).cast(rows.schema.field("l_quantity").type)
    rows = rows.set_column(0, "l_orderkey", pa.array(np.where(keys % 100 == _NEW, keys + _BEYOND, keys)))
    rows = rows.set_column(rows.column_names.index("l_quantity"), "l_quantity", quantity)
    unfinished = folder.with_name(folder.name + ".part")
    unfinished.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, unfinished / "0.parquet")
    return unfinished.rename(folder)


class Inputs(NamedTuple):
    """The folders of the rows of `lineitem`, and of the rows to merge, and the sums that all statements leave."""

    rows: str
    changes: str
    expected: str


def inputs(cache: Path, scale: float) -> Inputs | None:
    """The inputs of the statements, made on first use; None, with a line on stderr, without the generator installed."""
    try:
        rows, changes = str(lineitem(cache, scale)), str(lineitem_changes(cache, scale))
    except FileNotFoundError as error:
        print(f"without {error}", file=sys.stderr)
        return None
    return Inputs(rows, changes, expected_sums(cache, scale))


def expected_sums(cache: Path, scale: float) -> str:
    """The row of SUMS after DELETE, UPDATE and MERGE of `statements.py`, computed from the files with NumPy."""
    import numpy as np

    keys, quantity, tax = (_column(lineitem(cache, scale), name) for name in ("l_orderkey", "l_quantity", "l_tax"))
    new = keys % 100 == _NEW
    more_keys, more_quantity, more_tax = keys[new] + _BEYOND, quantity[new] + 100, tax[new]
    quantity = quantity + 100 * (keys % 100 == _MATCHED)
    tax = tax + (keys % 2000 == _UPDATED)
    stay = keys % 100 != _DELETED
    sums = [np.concatenate([old[stay], more]).sum() for old, more in ((quantity, more_quantity), (tax, more_tax))]
    rows, key_sum = int(stay.sum()) + len(more_keys), int(keys[stay].sum()) + int(more_keys.sum())
    return ", ".join([str(rows), str(key_sum), *(f"{int(total) // 100}.{int(total) % 100:02d}" for total in sums)])


def _column(folder: Path, name: str) -> np.ndarray[Any, Any]:
    """All values of a column as integers; those of decimals in hundredths."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    values = pa.chunked_array(
        [chunk for path in sorted(folder.glob("*.parquet")) for chunk in pq.read_table(path, columns=[name])[0].chunks]
    )
    if pa.types.is_decimal(values.type):
        values = pc.multiply(values, pa.scalar(100)).cast(pa.int64())
    numbers: np.ndarray[Any, Any] = values.to_numpy()
    return numbers


def _plain_schema(path: Path) -> Any:
    """The columns of a file, with strings for Arrow's views of strings, which it cannot filter."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = pq.read_schema(path)
    return pa.schema([(item.name, pa.string() if pa.types.is_string_view(item.type) else item.type) for item in found])
