"""What the log knows of the rows of files taken together: how many there are, and the ends of their columns.

Only what is exact: statistics may be cut, missing or wider than the values, and then it is Spark that must read rows.
Source: Delta protocol, Per-file Statistics and Deletion Vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deltasql.log.replay.checkpoint_file import take_rows
from deltasql.schema.types import DecimalType
from deltasql.skipping.column_bounds import Fact, fields_of, parse_facts
from deltasql.skipping.conditions import INTEGRAL, BoundedColumn, Condition
from deltasql.skipping.file_masks import rows_of
from deltasql.skipping.partition_conditions import encoded
from deltasql.skipping.pruning import whole_mask
from deltasql.sql.cursor import LeftToEngineError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from deltasql.log.replay.live_files import LiveFiles

# Some writers have decimals as doubles, which keep so many digits.
_EXACT_DIGITS = 15
# Of so many files all statistics are read, and kept for the next query.
_MANY, _SHARE = 4096, 8
_ENDS = ("low", "high")


@dataclass(frozen=True, slots=True)
class TallyFilter:
    """What is asked of a data column: how many values it has, the lowest, the highest."""

    count: bool = False
    low: bool = False
    high: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Of a column of some files: `count` of its values, the ends of them, None where there is no value.

    Dates are days since 1970. What was not asked for is None.
    """

    count: int | None = None
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class FileGroup:
    """The files with the same partition values, `texts` as in the log; `rows` of them are live, at least one."""

    texts: tuple[str | None, ...]
    rows: int
    tallies: Mapping[BoundedColumn, Tally] = field(default_factory=dict)


def has_exact_low(column: BoundedColumn) -> bool:
    """Whether bounds of such a column may be values of it: texts and timestamps are cut."""
    if isinstance(column.type, DecimalType):
        return column.type.precision <= _EXACT_DIGITS
    return column.kind in {*INTEGRAL, "date", "float", "double"}


def has_exact_high(column: BoundedColumn) -> bool:
    """See `has_exact_low`. NaN, which is above all numbers, is in no bound."""
    return has_exact_low(column) and column.kind not in {"float", "double"}


def file_groups(
    files: LiveFiles,
    asked: Condition | None,
    keys: Sequence[BoundedColumn],
    columns: Mapping[BoundedColumn, TallyFilter],
    *,
    vectors: bool,
    timezone: str | None,
) -> list[FileGroup]:
    """The files in whose rows `asked` is TRUE by the values of the partition columns `keys`; none without a live row.

    `vectors` says that files may have deletion vectors. Raises LeftToEngineError where the log does not know it all.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from deltasql.log.storage.arrow_values import ZERO

    chosen = _chosen(files, asked, timezone)
    facts = [Fact(None, vectors), *(Fact(column) for column in columns)]
    partitions, found = _facts(files, chosen, facts, vectors)
    if not len(partitions):
        return []
    rows = pc.struct_field(found["0"], ["rows"])
    gone = _deleted(found["deletionVector"]) if vectors else None
    live = rows if gone is None else pc.subtract(rows, gone)
    if live.null_count:
        raise LeftToEngineError
    coded, texts = _coded(partitions, keys)
    table = {"rows": live, **coded}
    loose = None if gone is None else _loose(gone, found["0"])
    for number, wanted in enumerate(columns.values(), 1):
        table |= _of_column(wanted, str(number), found[str(number)], rows, loose)
    return _grouped(pa.table(table).filter(pc.greater(live, ZERO)), texts, columns)


def _chosen(files: LiveFiles, asked: Condition | None, timezone: str | None) -> np.ndarray | None:
    """The numbers of the files in whose rows `asked` is TRUE; None for all."""
    if asked is None:
        return None
    keep = whole_mask(files.table(("partitionValues",)), asked, timezone)
    if keep is None:
        raise LeftToEngineError
    return rows_of(keep)


def _facts(
    files: LiveFiles, chosen: np.ndarray | None, facts: Sequence[Fact], vectors: bool
) -> tuple[pa.ChunkedArray, Mapping[str, pa.ChunkedArray]]:
    """Partition values of the chosen files; the structs of `facts` by their numbers, and the deletion vectors."""
    import pyarrow as pa

    names = [str(number) for number in range(len(facts))]
    columns = ("partitionValues", *(("deletionVector",) if vectors else ()))
    if chosen is not None and len(chosen) <= max(_MANY, len(files) // _SHARE):
        # Of few, the statistics of the others need not be read.
        table = files.table((*columns, "stats"), chosen)
        stats = table["stats"].cast(pa.string()).combine_chunks()
        found: dict[str, Any] = dict(zip(names, map(pa.chunked_array, zip(parse_facts(stats, facts))), strict=True))
    else:
        table = files.table(columns, chosen)
        known = pa.table(dict(zip(names, files.statistics(facts, fields_of, parse_facts), strict=True)))
        known = known if chosen is None else take_rows(known, chosen)
        found = {name: known[name] for name in names}
    return table["partitionValues"], found | ({"deletionVector": table["deletionVector"]} if vectors else {})


def _deleted(vectors: pa.ChunkedArray) -> pa.ChunkedArray:
    """The rows of each file that its deletion vector marks."""
    import pyarrow.compute as pc

    from deltasql.log.storage.arrow_values import ZERO

    return pc.fill_null(pc.struct_field(vectors, ["cardinality"]), ZERO)


def _loose(gone: pa.ChunkedArray, of_file: pa.ChunkedArray) -> pa.ChunkedArray:
    """Files whose bounds may be wider than their values."""
    import pyarrow.compute as pc

    from deltasql.log.storage.arrow_values import TRUE, ZERO

    tight = pc.fill_null(pc.struct_field(of_file, ["tight"]), TRUE)
    return pc.or_(pc.greater(gone, ZERO), pc.invert(tight))


def _coded(
    partitions: pa.ChunkedArray, keys: Sequence[BoundedColumn]
) -> tuple[dict[str, pa.ChunkedArray], list[list[str | None]]]:
    """The values of partition columns as numbers by file, and the texts that these stand for; null is null."""
    coded, texts = {}, list[list["str | None"]]()
    for number, key in enumerate(keys):
        values = encoded(partitions, key)
        coded[f"key{number}"] = values.indices
        texts.append(values.dictionary.to_pylist())
    return coded, texts


def _of_column(
    wanted: TallyFilter, name: str, facts: pa.ChunkedArray, rows: pa.ChunkedArray, loose: pa.ChunkedArray | None
) -> dict[str, pa.ChunkedArray]:
    """What is known of a column by file, for `_grouped`: its number, and what a group is to do with it.

    `sum` counts values. An end of tight bounds is a value, one of wide bounds may be none; where neither is there
    though the file has values, it is lost.
    """
    import pyarrow.compute as pc

    from deltasql.log.storage.arrow_values import TRUE

    nulls = pc.struct_field(facts, ["nulls"])
    empty = pc.invert(pc.fill_null(pc.not_equal(nulls, rows), TRUE))
    parts = {}
    if wanted.count:
        parts[f"{name}.count"] = _where_not(pc.subtract(rows, nulls), loose)
    for end in _ENDS:
        if getattr(wanted, end):
            bound = _where_not(pc.struct_field(facts, [end]), empty)
            parts[f"{name}.{end}.lost"] = pc.and_(pc.is_null(bound), pc.invert(empty))
            parts[f"{name}.{end}.tight"] = _where_not(bound, loose)
            if loose is not None:
                parts[f"{name}.{end}.wide"] = _where_not(bound, pc.invert(loose))
    return parts


def _where_not(values: pa.ChunkedArray, mask: pa.ChunkedArray | None) -> pa.ChunkedArray:
    """`values`, null where `mask` is true."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return values if mask is None else pc.if_else(mask, pa.nulls(1, values.type)[0], values)


def _grouped(
    known: pa.Table, texts: Sequence[Sequence[str | None]], columns: Mapping[BoundedColumn, TallyFilter]
) -> list[FileGroup]:
    """The groups of files with the same numbers of keys."""
    import pyarrow.compute as pc

    names = [f"key{number}" for number in range(len(texts))]
    exact = pc.ScalarAggregateOptions(skip_nulls=False)
    asked = [(name, *_how(name, exact)) for name in known.column_names if name not in names]
    groups = known.group_by(names, use_threads=False).aggregate(asked).to_pylist()
    return [_group(row, names, texts, columns) for row in groups if row["rows_sum"]]


def _how(name: str, exact: Any) -> tuple[Any, ...]:
    if name.endswith(".lost"):
        return ("any",)
    if name == "rows" or name.endswith(".count"):
        return "sum", exact
    return ("min",) if ".low." in name else ("max",)


def _group(
    row: Mapping[str, Any],
    names: Sequence[str],
    texts: Sequence[Sequence[str | None]],
    columns: Mapping[BoundedColumn, TallyFilter],
) -> FileGroup:
    values = tuple(
        None if row[name] is None else found[row[name]] or None for name, found in zip(names, texts, strict=True)
    )
    tallies = {column: _tally(row, str(number), wanted) for number, (column, wanted) in enumerate(columns.items(), 1)}
    return FileGroup(values, row["rows_sum"], tallies)


def _tally(row: Mapping[str, Any], name: str, wanted: TallyFilter) -> Tally:
    """Raises LeftToEngineError for what is not known."""
    count = row[f"{name}.count_sum"] if wanted.count else None
    if wanted.count and count is None:
        raise LeftToEngineError
    return Tally(count, *(_end(row, name, end) if getattr(wanted, end) else None for end in _ENDS))


def _end(row: Mapping[str, Any], name: str, end: str) -> Any:
    """The lowest or highest value of a group.

    Raises LeftToEngineError where a wide bound lies beyond the tight ones.
    """
    how = "min" if end == "low" else "max"
    tight, wide = row[f"{name}.{end}.tight_{how}"], row.get(f"{name}.{end}.wide_{how}")
    beyond = wide is not None and (tight is None or (wide < tight if end == "low" else wide > tight))
    # Zero has two signs, which Parquet's bounds do not tell apart.
    if row[f"{name}.{end}.lost_any"] or beyond or (isinstance(tight, float) and tight == 0):
        raise LeftToEngineError
    return tight
