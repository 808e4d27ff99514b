"""CREATE TABLE … USING another format than Delta, and changes of the properties and the comment of such a table.

The catalog stores the columns, properties and comment; the files stay unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import TableEntry, TableSource, now, sql_name
from deltasql.plan import Operator, Project, TableName
from deltasql.planner import (
    FORMATS,
    ICEBERG,
    Answer,
    Context,
    FoundColumns,
    Plan,
    Registration,
    SourceDefining,
    SourceWrite,
    binding,
    discovered,
    found_columns,
    listed_files,
    source_snapshot,
    stored,
)
from deltasql.schema import (
    STRING,
    StructField,
    StructType,
    as_nullable,
    check_table_schema,
    declared_texts,
    declared_type,
    plain_field,
)
from deltasql.schema import quote_name as quote
from deltasql.statements.grants import is_recorded
from deltasql.statements.table import ColumnDefinition, CreateTable, CreateTableLike
from deltasql.statements.table_metadata import comment_metadata, declared_schema
from deltasql.statements.target import is_of_view

_PATH = "path"


def is_other_format(statement: CreateTable) -> bool:
    """Whether CREATE TABLE names a format other than Delta that tables can have."""
    if statement.provider is None or is_managed_iceberg(statement):
        return False
    return statement.provider.lower() in FORMATS


def is_managed_iceberg(statement: CreateTable) -> bool:
    """Whether CREATE TABLE is of a table USING iceberg in the warehouse, which is written as one of Delta."""
    return (statement.provider or "").lower() == ICEBERG and _location(statement) is None


def created_source(statement: CreateTable, context: Context) -> Plan:
    """The plan of CREATE TABLE … USING a format of FORMATS.

    Reads no rows if the columns are given. Raises SourceOperationError, TableAlreadyExistsError, UnknownColumnsError,
    PartitionsWithoutColumnsError, TextColumnsError, NonEmptyLocationError, and what is wrong with columns and files.
    """
    _refuse(statement)
    _refuse_policies(statement, context)
    if _exists(statement, context):
        return Answer()
    name, location = statement.table, _location(statement)
    source = _described(statement)
    place = _place(name, location, source.format, context)
    if statement.query is not None:
        return _from_query(statement, context, source, place, managed=location is None)
    if location is None:
        _require_vacant(context, place)
    source = _with_columns(statement, context, source, place)
    return Registration(name.parts, place, location is None, source, statement.if_not_exists)


def _refuse_policies(statement: CreateTable, context: Context) -> None:
    """Raises SourceOperationError for a row filter and masks that are to be recorded, GovernanceRefusedError."""
    masks = ((column.mask, "MASK") for column in statement.columns or ())
    for clause, name in ((statement.row_filter, "ROW FILTER"), *masks):
        if clause is None:
            continue
        caret = context.caret(clause.start, clause.end)
        if is_recorded(name, caret, context):
            error = errors.SourceOperationError(
                name, str(statement.table), str(statement.provider).lower(), "Leave it out, or write USING delta."
            )
            raise error.at(caret)


def source_like(statement: CreateTableLike, source: TableSource, context: Context) -> Plan:
    """The plan of CREATE TABLE … LIKE where the new table is of another format, with the columns of `source`.

    Raises SourceOperationError, TableAlreadyExistsError, NonEmptyLocationError, TextColumnsError.
    """
    name, table = statement.table, str(statement.table)
    _refuse_path(name, source.format)
    if source.format == ICEBERG:
        advice = "Iceberg tables are read only. Write USING delta."
        raise errors.SourceOperationError("LIKE", table, ICEBERG, advice)
    if _exists(statement, context):
        return Answer()
    place = _place(name, statement.location, source.format, context)
    if statement.location is None:
        _require_vacant(context, place)
    assert source.schema is not None
    columns = StructType(tuple(map(_column_of_query, source.schema)))
    source = _of_columns(source, _arranged(columns, source.partition_columns, table), table)
    return Registration(name.parts, place, statement.location is None, source, statement.if_not_exists)


def _exists(statement: CreateTable | CreateTableLike, context: Context) -> bool:
    """Whether there is nothing to do, as the name exists and IF NOT EXISTS is given. Raises TableAlreadyExistsError."""
    name = statement.table
    if is_of_view(name, "create", context, if_not_exists=statement.if_not_exists):
        return True
    context.catalog.refuse_information(name.parts)
    if context.catalog.resolve(name.parts) is None:
        return False
    if not statement.if_not_exists:
        raise errors.TableAlreadyExistsError(table=str(name))
    return True


def _place(name: TableName, location: str | None, provider: str, context: Context) -> str:
    """The place of the new table. Raises CatalogOperationError in an external catalog, which takes none, and what
    `located` raises."""
    external = context.catalog.external.store(context.catalog.full_name(name.parts)[0])
    if external is not None:
        raise external.refused(f"CREATE TABLE … USING {provider}").at(context.caret(name.start, name.end))
    if location is None:
        return context.catalog.managed_location(name.parts)
    try:
        return context.catalog.absolute(context.catalog.located(location))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _refuse(statement: CreateTable) -> None:
    """Raises SourceOperationError for clauses that only Delta tables have."""
    table, name = str(statement.table), str(statement.provider).lower()
    columns: tuple[ColumnDefinition, ...] = statement.columns or ()
    clauses = {
        "OR REPLACE": statement.mode == "create_or_replace",
        "REPLACE TABLE": statement.mode == "replace",
        "CLUSTER BY": statement.cluster_by is not None,
        "A constraint": bool(statement.constraints),
        "DEFAULT": any(column.default is not None for column in columns),
        "GENERATED": any(column.generated is not None or column.identity is not None for column in columns),
    }
    advice = "Leave it out, or write USING delta."
    if clauses["OR REPLACE"] or clauses["REPLACE TABLE"]:
        advice = f"Drop the table first: DROP TABLE IF EXISTS {table}."
    _refuse_path(statement.table, name)
    for clause, is_used in clauses.items():
        if is_used:
            raise errors.SourceOperationError(clause, table, name, advice)
    if name == ICEBERG:
        _refuse_for_iceberg(statement, table)


def _refuse_path(name: TableName, source_format: str) -> None:
    if name.path is not None:
        advice = "Write a name, and LOCATION with the path."
        raise errors.SourceOperationError("A path as the name", str(name), source_format, advice)


def _refuse_for_iceberg(statement: CreateTable, table: str) -> None:
    """Iceberg tables are read only, with the columns of their metadata."""
    if statement.query is not None:
        raise errors.SourceOperationError(
            "AS SELECT", table, ICEBERG, "With LOCATION it is read only. Leave out LOCATION, or write USING delta."
        )
    if statement.columns is not None or statement.partitioned_by:
        raise errors.SourceOperationError(
            "A list of columns", table, ICEBERG, "Leave it out: the columns are those of the Iceberg metadata."
        )


def _location(statement: CreateTable) -> str | None:
    """The location by its clause or by the option `path`. Raises SourceOperationError for both."""
    paths = [value for key, value in statement.options if key.lower() == _PATH]
    if paths and statement.location is not None:
        table, name = str(statement.table), str(statement.provider).lower()
        raise errors.SourceOperationError("The option 'path' beside LOCATION", table, name, "Leave out one of them.")
    return paths[0] if paths else statement.location


def _described(statement: CreateTable) -> TableSource:
    """The source without its columns."""
    options = {key: value for key, value in statement.options if key.lower() != _PATH}
    properties, comment = dict(statement.properties), statement.comment
    return TableSource(str(statement.provider).lower(), options, None, (), comment, properties)


def _require_vacant(context: Context, place: str) -> None:
    """Raises NonEmptyLocationError."""
    if not context.analyst.stores.open(place).is_vacant():
        raise errors.NonEmptyLocationError(location=place)


def _with_columns(statement: CreateTable, context: Context, source: TableSource, place: str) -> TableSource:
    """The source with its columns, as they are declared or found in the files."""
    table = str(statement.table)
    if source.format == ICEBERG:
        _check_iceberg(statement, context, source, place)
        return source
    if statement.columns is None and statement.partitioned_by:
        raise errors.PartitionsWithoutColumnsError(table)
    if statement.columns is None:
        if _location(statement) is None and source.format != "text":
            raise errors.UnknownColumnsError(table, source.format, "there is no LOCATION with files")
        found = found_columns(context, source, listed_files(context, source, place), table)
    else:
        declared = declared_schema(statement, context)
        found = _arranged(declared, [column.name for column in statement.partitioned_by], table)
        if not found.partitions and _location(statement) is not None:
            found = _with_folders(found, discovered(source, listed_files(context, source, place)))
    return _of_columns(source, found, table)


def _of_columns(source: TableSource, found: FoundColumns, table: str) -> TableSource:
    """The source with these columns. Raises TextColumnsError."""
    source = replace(source, schema=found.schema, partition_columns=found.partitions)
    _check_text(source, table)
    return source


def _check_iceberg(statement: CreateTable, context: Context, source: TableSource, place: str) -> None:
    """Raises what is wrong with an Iceberg table, DeltaLocationError for the folder of a Delta table of its own."""
    if context.logs(place, str(statement.table)).exists():
        raise errors.DeltaLocationError(place, ICEBERG)
    entry = TableEntry(*context.catalog.full_name(statement.table.parts), place, False, now(), source)
    source_snapshot(context, entry, str(statement.table))


def _arranged(schema: StructType, partitions: Sequence[str], table: str) -> FoundColumns:
    """Columns that are all nullable, as files may lack any, those of the partitions at the end.

    Raises DuplicateColumnsError, PartitionColumnNotFoundError, AllColumnsPartitionError, and for a type that no column
    or partition can have.
    """
    names = check_table_schema(schema, partitioned_by=partitions, column_mapping=True, where=table)
    fields = [field for name in names if (field := schema.find(name)) is not None]
    data = [field for field in schema if field.name not in names]
    return FoundColumns(StructType(tuple(map(_nullable, (*data, *fields)))), tuple(names))


def _nullable(field: StructField) -> StructField:
    return replace(field, type=as_nullable(field.type), nullable=True)


def _with_folders(found: FoundColumns, folders: StructType) -> FoundColumns:
    """Declared columns with those of the folders at the end: of the declared type, or as they are found."""
    partitions = [found.schema.find(field.name) or field for field in folders]
    names = {field.name.lower() for field in partitions}
    data = [field for field in found.schema if field.name.lower() not in names]
    return FoundColumns(StructType((*data, *partitions)), tuple(field.name for field in partitions))


def _check_text(source: TableSource, table: str) -> None:
    """Raises TextColumnsError."""
    assert source.schema is not None
    data = [field for field in source.schema if field.name not in source.partition_columns]
    if source.format == "text" and [field.type for field in data] != [STRING]:
        raise errors.TextColumnsError(table, ", ".join(quote(field.name) for field in data))


def _from_query(
    statement: CreateTable, context: Context, source: TableSource, place: str, *, managed: bool
) -> SourceWrite:
    """CREATE TABLE … AS SELECT: the query's columns."""
    assert statement.query is not None
    if statement.columns is not None or any(column.type is not None for column in statement.partitioned_by):
        raise errors.ColumnListWithQueryError(table=str(statement.table))
    _require_vacant(context, place)
    query = binding.query(context, statement.query)
    schema = context.analyst.schema(query)
    columns = StructType(tuple(map(_column_of_query, schema)))
    found = _arranged(columns, [column.name for column in statement.partitioned_by], str(statement.table))
    source = _of_columns(source, found, str(statement.table))
    register = Registration(statement.table.parts, place, managed, source)
    return SourceWrite(stored_rows(query, source), str(statement.table), place, source, register=register)


def _column_of_query(field: StructField) -> StructField:
    kind = as_nullable(declared_type(field))
    return plain_field(StructField(field.name, kind, metadata=comment_metadata(field.comment)))


def stored_rows(rows: Operator, source: TableSource) -> Operator:
    """Rows with the columns of a source, in its order, as files store them."""
    assert source.schema is not None
    columns = tuple((field.name, stored(field, quote(field.name))) for field in source.schema)
    return Project(rows, columns, declared_texts(source.schema))


Redefine = Callable[[TableSource], TableSource]

_COMMENT = "comment"


def source_change(name: TableName, change: Redefine, context: Context) -> SourceDefining:
    """The change of the table of this name."""
    context.refuse_version(name)
    return SourceDefining(name.parts, change)


def with_properties(pairs: Iterable[tuple[str, str]]) -> Redefine:
    """Sets properties; `comment` is the table's comment, as in Spark."""
    added = dict(pairs)
    comment = added.pop(_COMMENT, None)

    def change(source: TableSource) -> TableSource:
        described = source.comment if comment is None else comment
        return replace(source, properties={**source.properties, **added}, comment=described)

    return change


def without_properties(keys: Iterable[str], entry: TableEntry, *, strict: bool) -> Redefine:
    """Removes properties. Raises UnsetMissingPropertyError, with `strict`, for a key that is not set."""
    assert entry.source is not None
    removed = set(keys)
    missing = removed - entry.source.properties.keys() - {_COMMENT}
    if missing and strict:
        raise errors.UnsetMissingPropertyError(key=min(missing), table=sql_name(entry.parts))

    def change(source: TableSource) -> TableSource:
        kept = {key: value for key, value in source.properties.items() if key not in removed}
        return replace(source, properties=kept, comment=None if _COMMENT in removed else source.comment)

    return change


def with_comment(comment: str | None) -> Redefine:
    """Sets the comment; None removes it."""
    return lambda source: replace(source, comment=comment)
