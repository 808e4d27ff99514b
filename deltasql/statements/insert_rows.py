"""Plans of INSERT: new files, and for OVERWRITE the files that are removed. Source: features of Delta, INSERT.

Rows of literals or in memory are converted to the table's columns without Spark. An INSERT into a table of another
format writes its rows as files, as an INSERT into a Delta table would have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timezone, tzinfo
from typing import Any

from deltasql.base import (
    DeltaSqlError,
    LeftToEngineError,
    errors,
    pa,
    pc,
    preserve_literal_values,
    session_settings,
    zone,
)
from deltasql.catalog import TableEntry
from deltasql.log import DeltaLog, Metadata, Snapshot, decode_path, operations
from deltasql.plan import (
    NO_ROWS,
    ORDINAL,
    QUERY,
    SCAN_COLUMNS,
    Check,
    Literals,
    LiteralValue,
    MemoryRows,
    Operator,
    Reads,
    RenamedQuery,
    RowReads,
    SqlQuery,
    SqlText,
    Write,
    hidden,
)
from deltasql.planner import (
    ICEBERG,
    WHOLE_TABLE,
    CommitSpec,
    Context,
    DynamicOverwrite,
    Plan,
    RowChange,
    SourceWrite,
    Stepwise,
    StructRule,
    binding,
    default_keywords,
    default_sql,
    generated_checks,
    generation_of,
    inserted_rows,
    plan,
    reads_of_files,
    reads_of_itself,
    refuse_enforced,
    replace_defaults,
    source_snapshot,
    stored,
)
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    DATE,
    DIGITS_OF_LONG,
    DOUBLE,
    FLOAT,
    INTEGRAL,
    MOST_DIGITS,
    STORED_AS_NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Length,
    MapType,
    StructField,
    StructType,
    case_matters,
    column_invariants,
    declared_length,
    identity_of,
    partition_value,
    sql_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    LiteralColumn,
    LiteralRows,
    as_type,
    current_micros,
    literal_constant,
    literal_rows,
    selected_rows,
)
from deltasql.statements.constraints import constraints_of
from deltasql.statements.delete import refuse_append_only, whole_partitions
from deltasql.statements.idempotency import plan_statement
from deltasql.statements.insert import (
    Insert,
    Match,
    MultiInsert,
    QueryColumn,
    Replacement,
    ReplaceOn,
    ReplaceUsing,
    ReplaceWhere,
    checked_rows,
    column_values,
    evolved_schema,
    left_to_the_table,
    matched_columns,
    refuse_explicit_identities,
    refuse_twice,
    replaced,
    replaced_by_columns,
    replaced_by_condition,
    replacing,
    struct_rule,
    table_rows,
    written_fields,
)
from deltasql.statements.table_metadata import evolved_metadata, metadata_actions

_STORED = (*INTEGRAL, FLOAT, DOUBLE, BOOLEAN, STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ)
# Others have several spellings, of which Spark has its own.
_IN_DIRECTORIES = (*INTEGRAL, BOOLEAN, STRING, DATE, TIMESTAMP)
_MOST_PLAIN_SCALE = 6
_MOST_BYTES_OF_NAME = 60


def constant_source(statement: Insert, query: str, context: Context) -> LiteralRows | None:
    """The rows of the INSERT's query if they are plain literals; None where Spark must evaluate it."""
    plain = not (statement.overwrite or statement.replaces or statement.ctes or statement.schema_evolution)
    if not plain or not context.analyst.is_plain or not _has_usual_settings(context):
        return None
    return literal_rows(query, unambiguous_zone(context), current_micros())


def stored_rows(
    snapshot: Snapshot, schema: StructType, rows: LiteralRows, indexes: Mapping[str, int], static: Mapping[str, str]
) -> Literals | None:
    """Literal rows in the table's column order; `indexes[name]` is the index in `rows`, with names in lower case.

    Other columns get their PARTITION value (`static`, as SQL) or their default. None where a value or its cast may
    differ from Spark's: Spark then casts it, or raises the error.
    """
    partitions = {name.lower() for name in snapshot.partition_columns}
    conditions = snapshot.properties.constraints or column_invariants(schema)
    if conditions or all(field.name.lower() in partitions for field in schema):
        return None
    columns = []
    try:
        for field in schema:
            index = indexes.get(field.name.lower())
            column = _constant_column(field, static, rows) if index is None else rows.columns[index]
            values = _stored(field, column, rows.zone)
            if field.name.lower() in partitions:
                values = _in_directories(field, values)
            columns.append(values)
    except LeftToEngineError:
        return None
    return Literals(schema, tuple(columns))


def unambiguous_zone(context: Context) -> tzinfo | None:
    """The session's time zone; None for one that Java and Python may interpret differently."""
    name = context.time_zone or ""
    if name in {"UTC", "Etc/UTC", "Z", "GMT"}:
        return timezone.utc
    if "/" not in name and not re.fullmatch(r"[+-]\d\d:\d\d", name):
        return None
    try:
        return zone(name)
    except DeltaSqlError:
        return None


def _has_usual_settings(context: Context) -> bool:
    return (
        preserve_literal_values(context.settings.names())
        and context.setting(session_settings.STORE_ASSIGNMENT) == "ANSI"
    )


def _constant_column(field: StructField, static: Mapping[str, str], rows: LiteralRows) -> LiteralColumn:
    """The repeated value of a column that the query does not give: PARTITION's or the default."""
    constant = literal_constant(static.get(field.name) or default_sql(field), rows.zone, rows.now)
    return LiteralColumn(constant.type, (constant.value,) * len(rows.columns[0].values))


def _stored(field: StructField, column: LiteralColumn, where: tzinfo | None) -> tuple[LiteralValue, ...]:
    if not _is_stored(field.type) or identity_of(field) is not None or generation_of(field) is not None:
        raise LeftToEngineError
    values = tuple(as_type(value, column.type, field.type, where) for value in column.values)
    if not field.nullable and None in values:
        raise LeftToEngineError
    length = declared_length(field)
    return values if length is None else tuple(_fitted(value, length) for value in values)


def _is_stored(kind: DataType) -> bool:
    """Whether data files have the type and Arrow represents it as Spark does. A nested value is always NULL."""
    match kind:
        case StructType():
            return bool(kind.fields) and all(_is_stored(item.type) for item in kind)
        case ArrayType(element):
            return _is_stored(element)
        case MapType(key, value):
            return _is_stored(key) and _is_stored(value)
        case _:
            return kind in _STORED or isinstance(kind, DecimalType)


def _fitted(value: LiteralValue, declared: Length) -> LiteralValue:
    """A text as CHAR or VARCHAR has it; see `char_types.stored`."""
    if not isinstance(value, str):
        return value
    padded = value.rstrip(" ").ljust(declared.length)
    fitted = padded if declared.kind == "char" or len(value) > declared.length else value
    if len(fitted) > declared.length:
        raise LeftToEngineError
    return fitted


def _in_directories(field: StructField, values: tuple[LiteralValue, ...]) -> tuple[LiteralValue, ...]:
    """The values of a partition column as they are stored: an empty text is NULL, see `char_types.stored`.

    Raises LeftToEngineError for a NULL that may not be, and for values that Spark might spell differently in the name
    of a directory.
    """
    _refuse_spellings(field.type, values)
    stored = tuple(None if value in STORED_AS_NULL else value for value in values)
    if not field.nullable and None in stored:
        raise LeftToEngineError
    return stored


def _refuse_spellings(kind: DataType, values: Sequence[LiteralValue]) -> None:
    """Raises LeftToEngineError for values that Spark might spell differently in a directory name."""
    plain = kind in _IN_DIRECTORIES or (isinstance(kind, DecimalType) and kind.scale <= _MOST_PLAIN_SCALE)
    texts = [value for value in values if isinstance(value, str)]
    if not plain or any(len(text.encode()) > _MOST_BYTES_OF_NAME or "\0" in text for text in texts):
        raise LeftToEngineError


# Rows in memory


def stored_memory_rows(
    rows: MemoryRows, schema: StructType, partitions: Sequence[str], indexes: Mapping[str, int], context: Context
) -> MemoryRows | None:
    """Rows in memory in the column order of `schema`; `indexes[name]` is the index in `rows`.

    Other columns are NULL. None where a value or its cast may differ from Spark's: Spark then casts it, or raises the
    error.
    """
    in_directories = {name.lower() for name in partitions}
    if not context.analyst.is_plain or not _has_usual_settings(context):
        return None
    if all(field.name.lower() in in_directories for field in schema):
        return None
    columns = []
    try:
        for field in schema:
            column = _stored_column(field, rows, indexes.get(field.name.lower()), context)
            if field.name.lower() in in_directories:
                column = _column_in_directories(field, column)
            columns.append(column)
    except (LeftToEngineError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return MemoryRows(schema, pa.table(columns, names=list(schema.names)))


def _stored_column(field: StructField, rows: MemoryRows, index: int | None, context: Context) -> pa.ChunkedArray:
    from deltasql.schema import arrow_type

    if identity_of(field) is not None or generation_of(field) is not None or declared_length(field) is not None:
        raise LeftToEngineError
    kind = arrow_type(field.type)
    if index is None:
        if default_sql(field) != "NULL":
            raise LeftToEngineError
        column = pa.chunked_array([pa.nulls(rows.table.num_rows, kind)])
    else:
        column = _cast_column(rows.table.column(index), rows.schema.fields[index].type, field.type, kind, context)
    if not field.nullable and column.null_count:
        raise LeftToEngineError
    return column


def _cast_column(
    column: pa.ChunkedArray, source: DataType, target: DataType, kind: pa.DataType, context: Context
) -> pa.ChunkedArray:
    """Values of type `source` cast to `target`, whose Arrow type is `kind`. Raises LeftToEngineError, ArrowInvalid."""
    if target not in _STORED and not isinstance(target, (DecimalType, ArrayType, MapType, StructType)):
        raise LeftToEngineError
    if source == target:
        return column
    if source in INTEGRAL and isinstance(target, DecimalType):
        # First to a type that holds any number of the source: Arrow wants that.
        return column.cast(pa.decimal128(min(MOST_DIGITS, DIGITS_OF_LONG + target.scale), target.scale)).cast(kind)
    if _is_checked(source, target):
        return column.cast(kind)
    if source == TIMESTAMP_NTZ and target == TIMESTAMP and unambiguous_zone(context) is not None:
        return pc.assume_timezone(column, context.time_zone).cast(kind)
    raise LeftToEngineError


_FLOATING = (FLOAT, DOUBLE)


def _is_checked(source: DataType, target: DataType) -> bool:
    """Whether Arrow's cast gives Spark's result, or fails."""
    if isinstance(source, DecimalType):
        return isinstance(target, DecimalType)
    numbers = (*INTEGRAL, *_FLOATING)
    return source == VOID or (source in INTEGRAL and target in numbers) or (source in _FLOATING and target in _FLOATING)


def _column_in_directories(field: StructField, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """As `_in_directories`, for a column."""
    _refuse_column_spellings(field.type, column)
    if field.type != STRING:
        return column
    stored = pc.if_else(pc.is_in(column, pa.array(STORED_AS_NULL)), pa.scalar(None, column.type), column)
    if not field.nullable and stored.null_count:
        raise LeftToEngineError
    return stored


def _refuse_column_spellings(kind: DataType, column: pa.ChunkedArray) -> None:
    """The rule of `_refuse_spellings`, for fewer types."""
    if kind not in {*INTEGRAL, BOOLEAN, STRING, DATE}:
        raise LeftToEngineError
    if kind == STRING:
        longest, odd = pc.max(pc.binary_length(column)).as_py(), pc.any(pc.match_substring(column, "\0")).as_py()
        if odd or (longest or 0) > _MOST_BYTES_OF_NAME:
            raise LeftToEngineError


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """The rows of an INSERT, which `operator` makes.

    `reads` says what they come from, where that is the table itself, and `row_reads` which rows of it; `few` that they
    are the statement's own. `literals` are the rows themselves where they are plain literals, `in_memory`
    where they are in memory.
    """

    operator: Operator
    reads: Reads | None
    row_reads: RowReads = NO_ROWS
    few: bool = False
    literals: LiteralRows | None = None
    in_memory: MemoryRows | None = None


@dataclass(frozen=True, slots=True)
class Insertion:
    """An INSERT whose rows are known: the table's column for each of theirs, and the constants of PARTITION.

    With `dynamic` an overwrite replaces the partitions that the rows fall into. `rule` says how fields of structs are
    found.
    """

    statement: Insert
    log: DeltaLog
    snapshot: Snapshot
    rows: InsertedRows
    matched: Sequence[Match]
    static: dict[str, str]
    evolution: bool
    dynamic: bool
    rule: StructRule


@plan.register
def plan_insert(statement: Insert, context: Context) -> Plan:
    """By position unless a column list or BY NAME says otherwise."""
    foreign = context.foreign(statement.table)
    if foreign is not None:
        return _into_files(statement, foreign, context)
    log, snapshot = context.writable(statement.table)
    evolution = statement.schema_evolution or context.setting(session_settings.AUTO_MERGE)
    _refuse_clauses(statement, context)
    refuse_overwrite(statement, snapshot, context)
    return _inserted_rows(statement, log, snapshot, context, evolution=evolution)


def _into_files(statement: Insert, entry: TableEntry, context: Context) -> SourceWrite:
    """The rows as files of another format: those that the table would have as a Delta table.

    Raises SourceOperationError, DeltaOnlyError, and what an INSERT raises.
    """
    context.refuse_version(statement.table)
    refuse_source_write(statement, entry, context)
    _refuse_clauses(statement, context)
    snapshot = source_snapshot(context, entry, str(statement.table))
    log = context.logs(entry.location, str(statement.table))
    return files_written(_inserted_rows(statement, log, snapshot, context, evolution=False), entry, snapshot)


def _inserted_rows(
    statement: Insert, log: DeltaLog, snapshot: Snapshot, context: Context, *, evolution: bool
) -> RowChange:
    static = _static_partitions(statement, snapshot, context)
    query, rows, columns_of_query, left_out, literals = _query(statement, context, snapshot, static)
    matched = matched_columns(statement, context, snapshot.schema, columns_of_query, set(static), evolution)
    matched = [match for index, match in enumerate(matched) if index not in left_out]
    insertion = Insertion(
        statement,
        log,
        snapshot,
        InsertedRows(
            rows,
            reads=reads_of_itself(rows, snapshot, context),
            row_reads=inserted_rows(query, snapshot, context),
            few=_is_values(statement.query),
            literals=literals,
        ),
        matched,
        static,
        evolution,
        dynamic=is_dynamic(context, snapshot, static),
        rule=struct_rule(statement, evolution),
    )
    return inserted(insertion, context)


@plan.register
def plan_multi_insert(statement: MultiInsert, context: Context) -> Plan:
    """Each its own commit, in order, and its own look at the source. What is wrong is said before the first."""
    for insert in statement.inserts:
        plan(insert, _anew(context))
    return Stepwise("one for each INSERT", _inserts(statement, context), "insert")


def _inserts(statement: MultiInsert, context: Context) -> Iterator[Plan]:
    """The changes, each planned on tables as the one before left them.

    A write that the session's application has done before is not done again. Those into one table are one write.
    """
    done: dict[str, bool] = {}
    for insert in statement.inserts:
        context = _anew(context)
        foreign = context.foreign(insert.table)
        table = context.location(insert.table) if foreign is None else foreign.location
        change = plan(insert, context) if done.get(table) is False else plan_statement(insert, context)
        done[table] = not isinstance(change, (RowChange, SourceWrite))
        yield change


def _anew(context: Context) -> Context:
    """The context with a new look at tables."""
    return replace(context, _snapshots={})


def refuse_overwrite(statement: Insert, snapshot: Snapshot, context: Context) -> None:
    """Raises AppendOnlyError for a statement under which rows go, where none may, and PolicyTableError, where rows
    could go that a row filter hides."""
    if statement.overwrite or statement.replaces is not None:
        refuse_append_only(snapshot)
        refuse_enforced("An INSERT that replaces rows", statement.table, snapshot.location, context)


def inserted(insertion: Insertion, context: Context) -> RowChange:
    """The change that an insertion comes to.

    Raises what is wrong with its columns: their number, names, types, and those that nothing fills.
    """
    statement, snapshot, static = insertion.statement, insertion.snapshot, insertion.static
    refuse_twice(insertion.matched, statement, context, set(static))
    refuse_explicit_identities(insertion.matched, statement, context)
    schema = evolved_schema(snapshot, insertion.matched, context) if insertion.evolution else snapshot.schema
    metadata = evolved_metadata(snapshot.metadata, schema, table=snapshot.table)
    schema = metadata.schema
    columns = column_values(
        statement, context, schema, insertion.matched, static, insertion.rule, snapshot.partition_columns
    )
    numbered = tuple(name for name, sql in columns if ORDINAL in sql)
    how = _replacement(insertion, context)
    child = _checked(insertion, metadata, columns, numbered, how.carried if how else (), context)
    write = Write(child, schema, snapshot.partition_columns, single_file=insertion.rows.few)
    change = RowChange(
        CommitSpec(
            insertion.log,
            snapshot,
            operations.WRITE,
            _parameters(statement, insertion.evolution, context),
            actions=metadata_actions(snapshot, metadata),
        ),
        write,
        metadata,
        identities=numbered,
    )
    if how is not None:
        return _matching(change, child, how, insertion, context)
    if statement.predicate is not None:
        return _replacing(change, write, insertion, statement.predicate, context)
    if not statement.overwrite:
        # An append whose query does not read the table depends on nothing.
        change = change.committing(reads=insertion.rows.reads)
        return replace(change, rows=insertion.rows.row_reads, skip_if_empty=True)
    return _overwriting(change, insertion, context)


def _checked(
    insertion: Insertion,
    metadata: Metadata,
    columns: Sequence[tuple[str, str]],
    numbered: tuple[str, ...],
    carried: tuple[str, ...],
    context: Context,
) -> Operator:
    """The rows to write, with the checks that they must pass. Literals have passed them."""
    statement, snapshot, schema = insertion.statement, insertion.snapshot, metadata.schema
    rows, few = insertion.rows.operator, insertion.rows.few
    child: Operator | None = _literals(insertion, schema) or _stored_memory_rows(insertion, schema, context)
    child = child or table_rows(rows, columns, schema, few=few, carried=carried)
    constraints = constraints_of(schema, metadata.configuration, snapshot.table, skip=frozenset(numbered))
    constraints = (*constraints, *generated_checks(schema, [name for name, _ in columns]))
    if constraints and not isinstance(child, (Literals, MemoryRows)):
        child = Check(child, constraints)
    if statement.predicate is not None:
        child = checked_rows(child, statement.table, schema, statement.predicate, context)
    return child


def _overwriting(change: RowChange, insertion: Insertion, context: Context) -> RowChange:
    """INSERT OVERWRITE: all rows make way for the new ones, or those of some partitions."""
    snapshot, static = insertion.snapshot, insertion.static
    reads = WHOLE_TABLE if insertion.rows.reads else None
    if insertion.dynamic:
        parameters = {**change.commit.parameters, "isDynamicPartitionOverwrite": True}
        return replace(change, dynamic_overwrite=DynamicOverwrite.ALL).committing(parameters=parameters, reads=reads)
    removed, named = _replaced_files(snapshot, static, context), None
    if static:
        named = " AND ".join(f"({quote(name)} <=> {value})" for name, value in static.items())
        change = change.committing(parameters={**change.commit.parameters, "predicate": named})
        reads = reads or reads_of_files(removed, named, snapshot, context)
    # Without a partition it takes the place of all rows, whatever they are.
    return replace(change, removed=removed).committing(reads=reads or WHOLE_TABLE)


def _literals(insertion: Insertion, schema: StructType) -> Literals | None:
    """The rows with all columns of the table, where no expression is left in them; they satisfy its constraints."""
    literals = insertion.rows.literals
    if literals is None or insertion.evolution:
        return None
    names = hidden_names(len(literals.columns))
    indexes = {field.name.lower(): names.index(item.sql) for field, item in insertion.matched if field is not None}
    return stored_rows(insertion.snapshot, schema, literals, indexes, insertion.static)


def _stored_memory_rows(insertion: Insertion, schema: StructType, context: Context) -> MemoryRows | None:
    """The rows that the caller has in memory, with all columns of the table; they satisfy its constraints."""
    in_memory, snapshot = insertion.rows.in_memory, insertion.snapshot
    special = insertion.evolution or insertion.dynamic or insertion.statement.replaces is not None
    if in_memory is None or special or snapshot.properties.constraints or column_invariants(schema):
        return None
    names = hidden_names(len(in_memory.schema))
    indexes = {field.name.lower(): names.index(item.sql) for field, item in insertion.matched if field is not None}
    return stored_memory_rows(in_memory, schema, snapshot.partition_columns, indexes, context)


def _replacing(
    change: RowChange, write: Write, insertion: Insertion, predicate: SqlText, context: Context
) -> RowChange:
    """REPLACE WHERE: whole files go where the log can tell, else the files of the range are rewritten."""
    whole = WHOLE_TABLE if insertion.rows.reads else None
    removed = whole_partitions(insertion.snapshot, predicate.text, None, context)
    if removed is not None:
        reads = reads_of_files(removed, predicate.text, insertion.snapshot, context)
        return replace(change, removed=removed).committing(reads=whole or reads)
    operator, reads = replacing(write, insertion.snapshot, insertion.statement.table, predicate, context)
    return replace(change, operator=operator, skip_if_empty=True).committing(reads=whole or reads)


def _replacement(insertion: Insertion, context: Context) -> Replacement | None:
    """Which rows REPLACE USING or ON takes out; None for an INSERT without them."""
    statement, schema = insertion.statement, insertion.snapshot.schema
    columns_of_query = [item for _, item in insertion.matched]
    match statement.replaces:
        case ReplaceUsing() as using:
            return replaced_by_columns(statement, using, schema, columns_of_query, insertion.matched, context)
        case ReplaceOn(condition, alias):
            return replaced_by_condition(statement, condition, alias, schema, columns_of_query, context)
        case _:
            return None


def _matching(change: RowChange, rows: Operator, how: Replacement, insertion: Insertion, context: Context) -> RowChange:
    """REPLACE USING and REPLACE ON: the files with rows that make way are rewritten, or get deletion vectors."""
    parameter = "replaceUsingCols" if isinstance(insertion.statement.replaces, ReplaceUsing) else "replaceOnCond"
    change = replaced(change, rows, insertion.snapshot, how, context)
    change = change.committing(parameters={**change.commit.parameters, parameter: how.text})
    if not insertion.rows.reads:
        return change
    return replace(change, rows=NO_ROWS).committing(reads=WHOLE_TABLE)


def _query(
    statement: Insert, context: Context, snapshot: Snapshot, static: dict[str, str]
) -> tuple[SqlQuery, SqlQuery, list[QueryColumn], frozenset[int], LiteralRows | None]:
    """The query, and its rows under names of our own, since two of its columns may have the same name.

    Then the columns, by number, that say DEFAULT and whose values come from the table itself; last the rows
    themselves, where they are certain without Spark.
    """
    fields = written_fields(statement, snapshot.schema, static)
    keywords, count = default_keywords(statement.query.text)
    written = statement.query.text
    if keywords and not _reads_a_default(statement, context):
        written = replace_defaults(written, fields)
    else:
        keywords = []
    left_out = left_to_the_table(keywords, count, fields)
    text = SqlText(selected_rows(written), statement.query.start)
    literals = constant_source(statement, text.text, context)
    # Literals refer to no table.
    query = binding.query(context, text, statement.ctes) if literals is None else SqlQuery(text.text, {}, "query")
    schema = context.analyst.schema(query) if literals is None else literals.schema
    names = hidden_names(len(schema))
    columns_of_query = [QueryColumn(field.name, name, field.type) for field, name in zip(schema, names, strict=True)]
    return query, renamed(query, names), columns_of_query, left_out, literals


def _reads_a_default(statement: Insert, context: Context) -> bool:
    """Whether what the query reads has a column `default`, which Spark finds before it thinks of the keyword."""
    if _is_values(statement.query) or "from" not in statement.query.text.lower():
        return False
    with suppress(DeltaSqlError):
        context.analyst.schema(binding.query(context, statement.query, statement.ctes))
        return True
    return False


def renamed(query: SqlQuery, names: Sequence[str]) -> SqlQuery:
    """The rows of a query with other names for its columns, by position."""
    sql = f"SELECT * FROM (\n{query.sql}\n) AS {QUERY}({', '.join(names)})"
    return SqlQuery(sql, query.relations, query.label, renames=RenamedQuery(query, tuple(names)))


def hidden_names(count: int) -> list[str]:
    """Our names for the columns of a query."""
    return [hidden(index) for index in range(count)]


def _refuse_clauses(statement: Insert, context: Context) -> None:
    """REPLACE says itself which rows go: neither OVERWRITE nor PARTITION can say it as well."""
    alias, replaces = statement.alias, statement.replaces
    if alias is not None and not isinstance(replaces, ReplaceOn):
        caret = context.caret(alias.start, alias.end)
        if isinstance(replaces, ReplaceWhere):
            raise errors.ReplaceWhereAliasError(str(alias)).at(caret)
        raise errors.UnsupportedStatementError("An alias in INSERT", "Name the table itself.").at(caret)
    if replaces is not None and (statement.overwrite or statement.partition):
        clause = "PARTITION" if statement.partition else "OVERWRITE"
        match replaces:
            case ReplaceWhere(text):
                word, start, end = "REPLACE WHERE", text.start, text.end
            case ReplaceOn(text):
                word, start, end = "REPLACE ON", text.start, text.end
            case ReplaceUsing(columns):
                word, start, end = "REPLACE USING", columns[0].start, columns[-1].end
        raise errors.ReplaceClauseError(replaces=word, clause=clause).at(context.caret(start, end))


def _static_partitions(statement: Insert, snapshot: Snapshot, context: Context) -> dict[str, str]:
    """SQL of the constants of PARTITION (p = v, …) by column. Raises NotPartitionColumnError."""
    values: dict[str, str] = {}
    partitions: dict[tuple[str, ...], str] = {(name.lower(),): name for name in snapshot.partition_columns}
    seen: set[str] = set()
    for item in statement.partition:
        caret = context.caret(item.column.start, item.column.end)
        name = partitions.get(tuple(part.lower() for part in item.column.parts))
        if name is None or (case_matters() and name != item.column.parts[0]):
            raise errors.NotPartitionColumnError(
                column=str(item.column), table=str(statement.table), columns=snapshot.partition_columns
            ).at(caret)
        if name in seen:
            raise errors.DuplicateInsertColumnError(str(item.column), "stands twice in PARTITION").at(caret)
        seen.add(name)
        if item.value is not None:
            values[name] = item.value.text
    return values


def is_dynamic(context: Context, snapshot: Snapshot, static: dict[str, str]) -> bool:
    """Whether only the partitions that the rows fall into are replaced; not where the statement names them all."""
    return context.setting(session_settings.PARTITION_OVERWRITE_MODE) == "DYNAMIC" and len(static) < len(
        snapshot.partition_columns
    )


def _replaced_files(snapshot: Snapshot, static: dict[str, str], context: Context) -> pa.Table:
    """The files that a static overwrite replaces: all, or those of the named partitions."""
    files = snapshot.files(SCAN_COLUMNS)
    if not static:
        return files
    fields = [field for name in static if (field := snapshot.schema.find(name))]
    casts = ((field, f"CAST({static[field.name]} AS {sql_text(field.type)})") for field in fields)
    partition = tuple(context.analyst.value(stored(field, sql, snapshot.partition_columns)) for field, sql in casts)
    rows = files.column("partitionValues").to_pylist()
    return files.filter(pa.array([partition_value(row, fields) == partition for row in rows], pa.bool_()))


def _parameters(statement: Insert, evolution: bool, context: Context) -> dict[str, Any]:
    replaces = statement.overwrite or statement.replaces is not None
    parameters: dict[str, Any] = {"mode": "Overwrite" if replaces else "Append", "partitionBy": "[]"}
    if statement.predicate is not None:
        parameters["predicate"] = context.text_with_markers(statement.predicate)
    if evolution:
        parameters["canMergeSchema"] = True
    return parameters


def _is_values(query: SqlText) -> bool:
    """A handful of literal rows belong into one file."""
    return re.match(r"\(*\s*VALUES\b", query.text, re.IGNORECASE) is not None


def refuse_source_write(statement: Insert, entry: TableEntry, context: Context) -> None:
    """Raises SourceOperationError for a format that is only read, DeltaOnlyError for clauses that need a log."""
    assert entry.source is not None
    name = statement.table
    caret = context.caret(name.start, name.end)
    if entry.source.format == ICEBERG:
        advice = "Iceberg tables are read only. Copy its rows into a Delta table: CREATE TABLE … AS SELECT."
        raise errors.SourceOperationError("INSERT", str(name), ICEBERG, advice).at(caret)
    if statement.schema_evolution:
        raise context.delta_only(name, entry, "INSERT WITH SCHEMA EVOLUTION").at(caret)
    match statement.replaces:
        case None:
            return
        case ReplaceWhere():
            clause = "REPLACE WHERE"
        case ReplaceUsing():
            clause = "REPLACE USING"
        case _:
            clause = "REPLACE ON"
    raise context.delta_only(name, entry, f"INSERT INTO … {clause}").at(caret)


def files_written(change: RowChange, entry: TableEntry, snapshot: Snapshot) -> SourceWrite:
    """The files of a change of the table in place of its commit."""
    assert entry.source is not None
    assert isinstance(change.operator, Write)
    removed = [] if change.removed is None else change.removed.column("path").to_pylist()
    return SourceWrite(
        change.operator.child,
        snapshot.table,
        snapshot.location,
        entry.source,
        tuple(map(decode_path, removed)),
        change.dynamic_overwrite is not None,
    )
