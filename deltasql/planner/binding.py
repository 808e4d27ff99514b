"""Queries bound to the tables as they are: names become scans of snapshots, views their queries.

Built on what a Context knows; whatever Spark is to run goes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING
from uuid import uuid4

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.statements.table import ReadTableWithoutColumnsError
from deltasql.errors.statements.view import TimeTravelViewError
from deltasql.log.configuration.row_ids import row_id_columns
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.hidden import VIEW, hidden
from deltasql.plan.operators import (
    METADATA,
    READ_COLUMNS,
    ROW_ID_COLUMNS,
    SCAN_COLUMNS,
    Operator,
    Pruning,
    Query,
    Scan,
    SourceFiles,
    TableVersion,
    ViewColumns,
)
from deltasql.planner.catalog_changes import Creation
from deltasql.planner.change_feed import changes
from deltasql.planner.context import Context, Reader
from deltasql.schema.types import StructType
from deltasql.skipping.predicates import condition
from deltasql.skipping.pruning import skip_files
from deltasql.sql.current_names import current_names
from deltasql.sql.metadata_column import NamedMetadata
from deltasql.sql.query_filters import scan_filters
from deltasql.sql.references import table_references
from deltasql.sql.text_edits import bind as with_views

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.sql.relations import TableReference


def columns_of(context: Context, view: TableName) -> StructType:
    """The columns of a view. Asks Spark, which then starts, for those of a view that is Spark's."""
    key = context.view_key(view.parts)
    made = None if key is None else context.views[key].made
    if made is not None and not context.analyst.knows_view(view.parts):
        return made.schema
    try:
        sql, relations = bind(context, f"SELECT * FROM {view}")
    except DeltaSqlError as error:
        raise error.at(context.caret(view.start, view.end)) from None
    return context.analyst.schema(Query(sql, relations, "query"))


def scan(
    context: Context,
    snapshot: Snapshot,
    predicate: str | None = None,
    alias: str | None = None,
    *,
    columns: Sequence[str] = SCAN_COLUMNS,
    may_be_empty: bool = False,
    with_ids: bool = False,
) -> Scan:
    """The rows of a snapshot: of those files that may hold a row for which `predicate` is TRUE.

    `with_ids` asks for the ids of the rows, if the table tracks them.
    Raises ReadTableWithoutColumnsError for a table without columns, unless it `may_be_empty`.
    """

    if not len(snapshot.schema) and not may_be_empty:
        raise ReadTableWithoutColumnsError(table=snapshot.table)
    snapshot.check_readable()
    row_ids = row_id_columns(snapshot.protocol, snapshot.metadata) if with_ids else None
    columns = columns if row_ids is None else (*columns, *ROW_ID_COLUMNS)
    files, total = _files(context, snapshot, predicate, alias, columns)
    return Scan(
        table=TableVersion(snapshot.table, snapshot.location, snapshot.version),
        schema=snapshot.schema,
        partition_columns=snapshot.partition_columns,
        files=files,
        pruning=Pruning(total, predicate, alias),
        row_ids=row_ids,
    )


def target_rows(
    context: Context, snapshot: Snapshot, predicate: str | None, alias: str, *, may_be_empty: bool = False
) -> Scan:
    """The rows of the table that a statement changes, each with its place and its id: see `scan`.

    They carry `_metadata` where the statement names it.
    """
    rows = scan(context, snapshot, predicate, alias, may_be_empty=may_be_empty, with_ids=True)
    text = f"{context.sql} {predicate or ''}".lower()
    return replace(rows, identity=True, described=METADATA in text and snapshot.schema.find(METADATA) is None)


def _files(
    context: Context, snapshot: Snapshot, predicate: str | None, alias: str | None, columns: Sequence[str]
) -> tuple[pa.Table, int]:
    """The files that may hold a row for which `predicate` is TRUE, and how many there are in all."""
    if predicate is None:
        files = snapshot.files(columns)
        return files, files.num_rows
    zone = context.time_zone
    asked = condition(predicate, snapshot.schema, snapshot.partition_columns, alias, zone)
    return snapshot.read_files(lambda files: skip_files(files, asked, columns, zone))


def query(context: Context, text: SqlText, ctes: SqlText | None = None, label: str = "query") -> Query:
    """A query of the user's, its tables bound to snapshots."""
    pieces: tuple[SqlText, ...] = (ctes, SqlText("\n", 0), text) if ctes else (text,)
    if ctes and text.text.lstrip("( \n").upper().startswith("WITH"):
        # A query has one WITH: the inner one goes into brackets.
        pieces = (ctes, SqlText("\nSELECT * FROM (\n", 0), text, SqlText("\n)", 0))
    sql, relations = bind(context, "".join(piece.text for piece in pieces), place=place_in(pieces))
    return Query(sql, relations, label)


def bind(
    context: Context,
    sql: str,
    qualifiers: Mapping[tuple[str, ...], str] | None = None,
    place: Callable[[int], int] | None = None,
    source: tuple[str, SourceFiles] | None = None,
) -> tuple[str, dict[str, Operator]]:
    """`sql` with view names in place of the tables that we know, and the rows behind each view.

    Names that are none of ours stay: Spark may know them. `qualifiers` are longer names by which columns of
    other tables in scope may be called, with the alias that replaces them. `place` turns an offset in `sql` into
    one in the statement, for the carets of errors; None where `sql` is no part of it. `source` are files that `sql`
    calls by a name of ours.
    """
    bound: dict[int, str] = {}
    relations: dict[str, Operator] = {}
    filters = cache(lambda: scan_filters(sql))
    references = table_references(sql)
    metadata, described = NamedMetadata(sql, references), set[int]()
    for index, reference in enumerate(references):
        named = index in metadata.references
        try:
            if source is not None and reference.parts == (source[0],):
                operator: Operator | None = replace(source[1], described=named)
            else:
                operator = _referred(context, reference, filters, described=named)
            if isinstance(operator, (Scan, SourceFiles)) and operator.described:
                described.add(index)
        except DeltaSqlError as error:
            caret = context.caret(place(reference.start), place(reference.end - 1) + 1) if place else None
            raise error.at(caret) from None
        if operator is None:
            continue
        view = hidden(uuid4().hex)
        bound[index] = view
        relations[view] = operator
    others = (*metadata.hidden_from_stars(described), *current_names(sql, context.current))
    return with_views(sql, bound, qualifiers or {}, others).sql, relations


def _referred(
    context: Context, reference: TableReference, filters: Callable[[], Mapping[int, str]], described: bool
) -> Operator | None:
    """The rows that a name in a query stands for; `filters` say by its place which of them the query uses."""
    if reference.arguments is not None:
        return changes(reference, context)
    name = TableName(reference.parts, reference.start, reference.end, reference.temporal)
    key = context.view_key(name.parts)
    if key is not None:
        # A DataFrame has taken the name since: CREATE VIEW would have taken it from the DataFrame.
        taken = context.views[key].made is not None and context.analyst.knows_view(name.parts)
        return None if taken else _view(context, key, name)
    location = _location(context, name)
    if location is None:
        return None
    snapshot = context.snapshot(replace(name, start=0, end=0), location)
    # A column of the table's own comes first.
    described = described and snapshot.schema.find(METADATA) is None
    predicate, alias = filters().get(reference.start), reference.alias or reference.parts[-1]
    rows = scan(context, snapshot, predicate, alias, columns=READ_COLUMNS, with_ids=described)
    return replace(rows, described=True) if described else rows


def _location(context: Context, name: TableName) -> str | None:
    """Where a table of ours lies; None for one that only Spark knows. Raises TableNotFoundError for one of nobody."""
    if name.path is not None:
        return name.path
    found = context.catalog.resolve(name.parts) if len(name.parts) <= 3 else None
    if found is not None:
        return found.location
    if _is_files(name) or context.analyst.knows(name.parts):
        return None
    return context.catalog.require(name.parts).location


def _view(context: Context, key: str, name: TableName) -> Query:
    view = context.views[key]
    if name.temporal is not None:
        raise TimeTravelViewError(view=str(name))
    if view.made is not None:
        return _made_view(context, view.query, view.made, str(name))
    sql, relations = bind(replace(context, views=view.scope or {}), view.query)
    if view.columns:
        names = ", ".join(quote(column) for column in view.columns)
        sql = f"SELECT * FROM (\n{sql}\n) AS {VIEW}({names})"
    return Query(sql, relations, f"view {name}")


def _made_view(context: Context, query: str, made: Creation, name: str) -> Query:
    """The query of a view as it was meant when the view was made, over the tables as they are."""
    now = context.meaning
    changed = {key: made.settings.get(key) for key in {**now, **made.settings}}
    settings = {key: value for key, value in changed.items() if value != now.get(key)}
    inner = replace(
        context,
        catalog=context.catalog.within(*made.namespace),
        views={key: view for key, view in context.views.items() if key in made.views},
        reader=Reader(settings, context.current),
    )
    sql, relations = bind(inner, query)
    return Query(sql, relations, f"view {name}", settings, ViewColumns(name, made.names, made.schema))


def place_in(pieces: Sequence[SqlText]) -> Callable[[int], int]:
    """Offsets in the joined text of `pieces` → offsets in the statement, where each piece has its `start`."""

    def place(offset: int) -> int:
        for piece in pieces[:-1]:
            if offset < len(piece.text):
                return piece.start + offset
            offset -= len(piece.text)
        return pieces[-1].start + offset

    return place


def _is_files(name: TableName) -> bool:
    """Whether a name stands for files, as `` parquet.`/path` `` does: Spark reads them."""
    return len(name.parts) == 2 and name.parts[0].lower() in FILE_FORMATS


FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml"})
