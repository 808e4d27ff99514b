"""``parquet.`/a/path` `` in a query of an engine that takes other columns from such files than Spark does.

This process reads the files, with the columns that Spark's reader gives them, where it is certain which these are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from deltasql.engine.failures.spark_errors import translated
from deltasql.engine.failures.write_errors import Failure
from deltasql.engine.reading.driver_rows import OLD_CALENDAR, arrow_schema
from deltasql.engine.reading.footers import readable
from deltasql.engine.session.scratch import frame_of_file
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.sources.footers import fetch_footers
from deltasql.engine.sources.listing import is_hidden
from deltasql.engine.sources.parquet_types import file_schema
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.engine import NotOnSailError
from deltasql.errors.sources import UnknownParquetTypeError
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import is_local, is_url, local_path
from deltasql.plan.base import quote
from deltasql.schema.types import StructType
from deltasql.sql.references import may_use
from deltasql.sql.tokens import Token, tokenize

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.engine.reading.workspace import Workspace

_SUSPECT = re.compile(r"\bparquet\s*\.\s*`", re.IGNORECASE)
_BRACES = re.compile(r"\{([^{}]*)\}")


def with_parquet_files(spark: SparkHandle, sql: str, work: Workspace) -> str:
    """`sql` with a temporary view in place of each ``parquet.`path` ``. `work` keeps the rows while they are needed.

    Raises NotOnSailError where the columns are not certain, UnreadableDataFileError, and where nothing is there
    Spark's error PATH_NOT_FOUND.
    """
    if not _SUSPECT.search(sql):
        return sql
    for first, last in reversed(list(_places(tokenize(sql)))):
        rows = _rows(last.name, sql)
        view = f"parquet_{sha256(last.name.encode()).hexdigest()[:16]}"
        frame_of_file(spark, rows, work.keep).createOrReplaceTempView(view)
        sql = sql[: first.start] + quote(view) + sql[last.end :]
    return sql


def _places(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    for index in range(len(tokens) - 2):
        first, dot, last = tokens[index : index + 3]
        is_whole = index == 0 or tokens[index - 1].key != "."
        if is_whole and first.key == "PARQUET" and dot.key == "." and last.kind == "quoted" and "/" in last.name:
            yield first, last


def _rows(place: str, sql: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = _files(place, sql)
    columns = _columns(place, files)
    wanted = StructType(tuple(field for field in columns if may_use(sql, field.name))) or columns
    target, tables = arrow_schema(wanted), list[pa.Table]()
    for path in files:
        with readable(path), pq.ParquetFile(path) as opened:
            if any(key in (opened.metadata.metadata or {}) for key in OLD_CALENDAR):
                raise NotOnSailError(what="files with dates of the Julian calendar")
            tables.append(opened.read(list(wanted.names)).select(list(wanted.names)).cast(target, safe=False))
    return pa.concat_tables(tables)


def _columns(place: str, files: Sequence[str]) -> StructType:
    """The columns of all files, which must be the same in each: Spark takes those of one of them."""
    found = list[StructType]()
    for path in files:
        folder, name = os.path.split(path)
        try:
            (footer,) = fetch_footers(LocalLogStore(folder), [(name, Path(path).stat().st_size)])
            found.append(file_schema(footer, path))
        except UnknownParquetTypeError as error:
            raise NotOnSailError(what=f"the type of a column in {path}") from error
    if any(schema != found[0] for schema in found):
        raise NotOnSailError(what=f"the files of {place}, which have several schemas")
    names = [name.lower() for name in found[0].names]
    if len(set(names)) < len(names) or not names:
        raise NotOnSailError(what=f"the columns of {place}, of which two share a name")
    return found[0]


def _files(place: str, sql: str) -> list[str]:
    """The files that a path or a pattern stands for, in order. Raises NotOnSailError, and Spark's error."""
    if is_url(place) and not is_local(place):
        raise NotOnSailError(what="files of an object store that are read by their path")
    pattern = str(Path(local_path(place) if is_local(place) else place).absolute())
    matches = sorted({match for text in _expanded(pattern) for match in _matches(text)})
    if not matches:
        raise _not_found(place, sql)
    files = list[str]()
    for match in matches:
        if Path(match).is_file():
            files.append(match)
            continue
        below = sorted(str(path.relative_to(match)) for path in Path(match).rglob("*") if path.is_file())
        data = [path for path in below if not is_hidden(path)]
        if any("=" in path.rpartition("/")[0] for path in data):
            raise NotOnSailError(what="columns from the names of folders")
        files += [f"{match}/{path}" for path in data]
    if not files:
        raise NotOnSailError(what=f"{place}, which has no files")
    return files


def _not_found(place: str, sql: str) -> DeltaSqlError:
    text = f"Path does not exist: {place}."
    return translated(Failure("PATH_NOT_FOUND", "42K03", text, {"path": place}, (place,)), sql, None)


def _matches(pattern: str) -> list[str]:
    # A name with brackets in it is a name first.
    if Path(pattern).exists():
        return [pattern.rstrip("/")]
    found = Path("/").glob(pattern.strip("/"))
    return [str(match) for match in found if not is_hidden(match.name)]


def _expanded(pattern: str) -> Iterator[str]:
    """A pattern of Hadoop's for each choice in its braces."""
    found = _BRACES.search(pattern)
    if found is None:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from _expanded(pattern[: found.start()] + choice + pattern[found.end() :])
