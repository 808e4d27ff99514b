"""``parquet.`/a/path` `` in a query of an engine that takes other columns from such files than Spark does.

This process reads the files, with the columns that Spark's reader gives them, where it is certain which these are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from deltasql.engine.reading.file_reader import arrow_schema
from deltasql.engine.reading.footers import readable
from deltasql.engine.reading.old_calendar import OLD_DAYS, has_old_days
from deltasql.engine.session.scratch import frame_of_file
from deltasql.engine.session.spark import SparkHandle
from deltasql.errors.engine import NotOnSailError
from deltasql.log.storage.stores import Stores
from deltasql.plan.base import quote
from deltasql.plan.hidden import HIDDEN_PREFIX
from deltasql.schema.types import StructType
from deltasql.sql.cursor import LeftToEngineError
from deltasql.sql.references import UsedNames
from deltasql.sql.tokens import Token, tokenize

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.engine.reading.workspace import Workspace

Found: TypeAlias = Callable[[Stores, str], tuple[list[str], StructType]]
"""The files that a path stands for, and their columns: see `engine.sources.parquet_paths`."""
_SUSPECT = re.compile(r"\bparquet\s*\.\s*`", re.IGNORECASE)
_TAKES_ALL = re.compile(r"\b(?:table|natural)\b|(?:\A|[(>,])\s*from\b", re.IGNORECASE)
"""What reads all columns, and says so by no star and no name."""


def with_parquet_files(spark: SparkHandle, sql: str, find: Found, work: Workspace) -> str:
    """`sql` with a temporary view in place of each ``parquet.`path` ``. `work` keeps the rows while they are needed.

    Raises UnreadableDataFileError, and what `find` raises.
    """
    if not _SUSPECT.search(sql):
        return sql
    for first, last in reversed(list(_places(tokenize(sql)))):
        rows = _rows(spark.stores, *find(spark.stores, last.name), sql)
        view = _view(last.name)
        frame_of_file(spark, rows, work.keep).createOrReplaceTempView(view)
        sql = sql[: first.start] + quote(view) + sql[last.end :]
    return sql


def _places(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    for index in range(len(tokens) - 2):
        first, dot, last = tokens[index : index + 3]
        is_whole = index == 0 or tokens[index - 1].key != "."
        if is_whole and first.key == "PARQUET" and dot.key == "." and last.kind == "quoted" and "/" in last.name:
            yield first, last


def _rows(stores: Stores, files: Sequence[str], columns: StructType, sql: str) -> pa.Table:
    """The columns that a query may use, of all files. Raises NotOnSailError for days of another calendar."""
    takes_all, named = _TAKES_ALL.search(sql) is not None, UsedNames([sql])
    used = tuple(field for field in columns if takes_all or field.name in named)
    try:
        return read_columns(stores, files, StructType(used or columns.fields[:1]))
    except LeftToEngineError:
        raise NotOnSailError(what="files with dates of the Julian calendar") from None


def read_columns(stores: Stores, files: Sequence[str], columns: StructType) -> pa.Table:
    """Columns of all rows of some files.

    Raises LeftToEngineError for days of another calendar, UnreadableDataFileError.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, target, tables = list(columns.names), arrow_schema(columns), list[pa.Table]()
    for path in files:
        with readable(path), pq.ParquetFile(stores.open_file(path)) as opened:
            rows = opened.read(names)
            if has_old_days(opened.metadata, rows):
                raise LeftToEngineError(OLD_DAYS)
            tables.append(rows.select(names).cast(target, safe=False))
    return pa.concat_tables(tables)


@dataclass(frozen=True, slots=True)
class PathQuery:
    """A query with `relation`, a name of ours, in place of the ``parquet.`path` `` that it is over."""

    sql: str
    relation: str
    path: str


def without_parquet_path(sql: str) -> PathQuery | None:
    """What a query is that names one such path; None for any other."""
    found = list(_places(tokenize(sql))) if _SUSPECT.search(sql) else []
    if len(found) != 1:
        return None
    ((first, last),) = found
    view = _view(last.name)
    return PathQuery(sql[: first.start] + quote(view) + sql[last.end :], view, last.name)


def _view(path: str) -> str:
    """What a path goes by."""
    return f"{HIDDEN_PREFIX}parquet_{sha256(path.encode()).hexdigest()[:16]}"
