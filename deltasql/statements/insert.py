"""INSERT INTO and INSERT OVERWRITE: their nodes, the columns that take the query's values, and REPLACE clauses.

Columns take values by position, by list or by name. REPLACE WHERE replaces the rows that satisfy a predicate by those
of the query, in one commit.

REPLACE USING and REPLACE ON replace all rows that match one of the query's rows, in one commit. The source of the
rewrite has each row of the query twice, and is read once: as a row to insert, and, without repetitions, as a key to
look up. So one join finds the rows to delete, and no row to insert is lost in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias, Union

from deltasql.base import Caret, DeltaSqlError, balanced_end, closing, errors, session_settings, skip_blanks
from deltasql.log import Snapshot
from deltasql.plan import (
    Check,
    ColumnPath,
    Constraint,
    EqualKey,
    LogicalPlan,
    Lookup,
    Number,
    Operator,
    Project,
    Reads,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SourceJoin,
    SqlText,
    TableName,
    Write,
    base,
    hidden_names,
)
from deltasql.planner import (
    Alignment,
    Context,
    DefaultKeyword,
    RowChange,
    Scope,
    Side,
    StructRule,
    automatic_widening,
    binding,
    default_sql,
    generated_sql,
    generation_of,
    must_materialize_source,
    reads_of,
    recorded,
    refuse_dependent_types,
    row_change,
    side,
    store_casts,
    stored,
    stored_generation,
    type_at,
    with_distinct_aliases,
)
from deltasql.schema import (
    DataType,
    MergeMode,
    StructField,
    StructType,
    declared_texts,
    folded,
    identity_of,
    merge_schemas,
    suggestion,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    GrammarToken,
    Tree,
    builds,
    column_references,
    equal_sides,
    has_subquery,
    insert_starts,
    name_chains,
    names_collation,
    read,
    splice,
    split_conjuncts,
    table_references,
)
from deltasql.statements.table_metadata import identity_sql, refuse_explicit

DATAFRAME = SqlText("(DataFrame)", 0)
"""The query of a statement whose rows are those of a DataFrame, and the name of a temporary view of such rows."""


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """p = constant of a PARTITION clause; `value` is None for the dynamic form `PARTITION (p)`."""

    column: ColumnPath
    value: SqlText | None


@dataclass(frozen=True, slots=True)
class ReplaceWhere:
    """REPLACE WHERE predicate: rows that satisfy it are replaced by the query's, which must satisfy it, too."""

    predicate: SqlText


@dataclass(frozen=True, slots=True)
class ReplaceUsing:
    """REPLACE USING (columns): rows that agree in all `columns` with one of the query's are replaced."""

    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class ReplaceOn:
    """REPLACE ON condition (query) [AS source_alias]: rows for which it is TRUE with a query's row are replaced."""

    condition: SqlText
    source_alias: str | None = None


Replaces: TypeAlias = Union[ReplaceWhere, ReplaceUsing, ReplaceOn]


@dataclass(frozen=True, slots=True)
class Insert(LogicalPlan):
    """[WITH ctes] INSERT [WITH SCHEMA EVOLUTION] {INTO | OVERWRITE} [TABLE] t [[AS] alias] [PARTITION (…)]
    [(columns) | BY NAME] [REPLACE WHERE predicate | REPLACE USING (columns) | REPLACE ON condition] query

    `ctes` is what stands before INSERT and belongs to its query: the text from WITH, or from the FROM of several
    inserts, up to INSERT. `alias` is a name of one part. `columns` is None without a list.
    """

    table_words: ClassVar[str] = "INSERT"
    write_name: ClassVar[str] = "WRITE"

    ctes: SqlText | None
    schema_evolution: bool
    overwrite: bool
    table: TableName
    alias: ColumnPath | None
    partition: tuple[PartitionValue, ...]
    columns: tuple[ColumnPath, ...] | None
    by_name: bool
    replaces: Replaces | None
    query: SqlText

    @property
    def predicate(self) -> SqlText | None:
        """The predicate of REPLACE WHERE, or None."""
        return self.replaces.predicate if isinstance(self.replaces, ReplaceWhere) else None


@dataclass(frozen=True, slots=True)
class MultiInsert(LogicalPlan):
    """[WITH ctes] FROM s INSERT INTO a SELECT … INSERT INTO b SELECT …

    The `ctes` of each reach to the end of the FROM clause.
    """

    inserts: tuple[Insert, ...]


_SELECT = re.compile(r"(?:SELECT|MAP|REDUCE)\b", re.IGNORECASE)
_AS = re.compile(r"AS(?=[\s`/-])", re.IGNORECASE)


@builds("insert")
def _insert(children: list[Any], tree: Tree, text: str) -> Insert:
    ctes, evolution, overwrite, table, _, partition, columns, by_name, _, *clauses, query = children
    alias = next((_alias(item, text) for item in tree.children if _is_alias(item)), None)
    replaces = clauses[0] if clauses else None
    if isinstance(replaces, ReplaceOn):
        query, name = _named_query(query)
        replaces = replace(replaces, source_alias=name)
    return Insert(ctes, evolution, overwrite, table, alias, partition, columns, by_name, replaces, query)


@builds("multi_insert")
def _multi_insert(children: list[Any], tree: Tree, text: str) -> Insert | MultiInsert:
    source, rest = children
    starts = insert_starts(text, rest.start)
    ends = [*starts[1:], rest.end]
    inserts = tuple(_part(text, start, end, source) for start, end in zip(starts, ends, strict=True))
    return inserts[0] if len(inserts) == 1 else MultiInsert(inserts)


def _part(text: str, start: int, end: int, source: SqlText) -> Insert:
    """The INSERT at [start, end), whose query lacks the FROM that stands before all of them."""
    try:
        # Blanks in place of what stands before it keep its places.
        insert = read(" " * start + text[start:end].rstrip(), "start")
    except DeltaSqlError as error:
        if error.caret is not None:
            error.caret = Caret(text, error.caret.start, error.caret.end)
        raise
    assert isinstance(insert, Insert)
    if not _SELECT.match(insert.query.text):
        word = insert.query.text.split(maxsplit=1)[0]
        reason = f"Behind FROM … INSERT stands SELECT, which says what of its rows is inserted, not {word}."
        raise errors.ParseSyntaxError(reason, word).at(Caret(text, insert.query.start, insert.query.start + len(word)))
    return replace(insert, ctes=source)


def _is_alias(item: Any) -> bool:
    return isinstance(item, GrammarToken) and item.name == "INSERT_ALIAS"


def _alias(token: GrammarToken, text: str) -> ColumnPath:
    match = _AS.match(text, token.start, token.end)
    start = token.start if match is None else skip_blanks(text, match.end())
    return ColumnPath((SqlText(text[start : token.end], start).tokens[0].name,), start, token.end)


def _named_query(query: SqlText) -> tuple[SqlText, str | None]:
    """The query of `(query) AS name` with its name; a query as it is, without one."""
    text = query.text
    if not text.startswith("("):
        return query, None
    end = balanced_end(text, 0, one_group=True)
    rest = [token for token in query.tokens if token.start >= end]
    words = rest[1:] if rest and rest[0].key == "AS" else rest
    if len(words) != 1 or not words[0].is_name:
        return query, None
    return SqlText(text[:end], query.start), words[0].name


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """A column of the query: its name there, the name it has in SQL of ours, and its type."""

    name: str
    sql: str
    type: DataType


Match: TypeAlias = tuple[StructField | None, QueryColumn]
"""The table's column that takes a column of the query; None: the table gets a new one."""


def written_fields(statement: Insert, schema: StructType, static: dict[str, str]) -> list[StructField | None]:
    """The table's columns in the order of the query's, as far as the statement itself tells."""
    if statement.columns is not None:
        return [schema.find(path.parts[-1]) for path in statement.columns]
    return [field for field in schema if field.name not in static]


def matched_columns(
    statement: Insert,
    context: Context,
    schema: StructType,
    columns_of_query: list[QueryColumn],
    static: set[str],
    evolution: bool,
) -> list[Match]:
    """Each column of the query with the table's column that takes it, or None for a new one."""
    if statement.columns is not None:
        return _by_list(statement, context, schema, columns_of_query, evolution)
    if statement.by_name:
        return _by_name(statement, schema, columns_of_query, evolution)
    fields = [field for field in schema if field.name not in static]
    columns = tuple(field.name for field in fields)
    if len(columns_of_query) < len(fields):
        raise errors.TooFewInsertColumnsError(
            table=str(statement.table), expected=len(fields), columns=columns, given=len(columns_of_query)
        )
    extra = columns_of_query[len(fields) :]
    if extra and not evolution:
        raise errors.TooManyInsertColumnsError(
            table=str(statement.table), expected=len(fields), columns=columns, given=len(columns_of_query)
        )
    return [*zip(fields, columns_of_query[: len(fields)], strict=True), *((None, item) for item in extra)]


def _by_list(
    statement: Insert, context: Context, schema: StructType, columns_of_query: list[QueryColumn], evolution: bool
) -> list[Match]:
    assert statement.columns is not None
    names = tuple(str(path) for path in statement.columns)
    if len(names) != len(columns_of_query):
        kind = (
            errors.TooFewInsertColumnsError if len(columns_of_query) < len(names) else errors.TooManyInsertColumnsError
        )
        error = kind(table=str(statement.table), expected=len(names), columns=names, given=len(columns_of_query))
        raise error.at(context.caret(statement.columns[0].start, statement.columns[-1].end))
    seen: set[str] = set()
    matched: list[Match] = []
    for path, item in zip(statement.columns, columns_of_query, strict=True):
        field = schema.find(path.parts[-1]) if len(path.parts) == 1 else None
        caret = context.caret(path.start, path.end)
        if path.parts[-1].lower() in seen:
            raise errors.DuplicateInsertColumnError(column=str(path)).at(caret)
        if field is None and not (evolution and len(path.parts) == 1):
            raise _unknown(str(path), statement, schema).at(caret)
        seen.add(path.parts[-1].lower())
        matched.append((field, item if field else QueryColumn(path.parts[-1], item.sql, item.type)))
    return matched


def _by_name(
    statement: Insert, schema: StructType, columns_of_query: list[QueryColumn], evolution: bool
) -> list[Match]:
    """As in Delta, letter case is ignored, independent of the session's setting."""
    for item in columns_of_query:
        if schema.find(item.name, case_sensitive=False) is None and not evolution:
            raise _unknown(quote(item.name), statement, schema)
    return [(schema.find(item.name, case_sensitive=False), item) for item in columns_of_query]


def refuse_twice(matched: Sequence[Match], statement: Insert, context: Context, static: set[str]) -> None:
    """Raises StaticPartitionInListError, DuplicateInsertColumnError for a column that would get two values."""
    fixed = {name.lower() for name in static}
    seen: set[str] = set()
    for field, item in matched:
        name = field.name if field else item.name
        path = next((path for path in statement.columns or () if path.parts[-1].lower() == name.lower()), None)
        caret = context.caret(path.start, path.end) if path else None
        if name.lower() in fixed:
            raise errors.StaticPartitionInListError(column=quote(name)).at(caret)
        if name.lower() in seen:
            raise errors.DuplicateInsertColumnError(quote(name), _twice(statement)).at(caret)
        seen.add(name.lower())


def _twice(statement: Insert) -> str:
    """Why a column would get two values of a query without a column list."""
    if statement.by_name:
        return "stands twice in the query of INSERT BY NAME"
    return (
        "would get two values: one by position, and one of a query's column that has its name and would be added. "
        "Write INSERT … BY NAME, or call that column something else"
    )


def _unknown(column: str, statement: Insert, schema: StructType) -> errors.UnknownInsertColumnError:
    advice = f"{suggestion(column, schema.names)} To add {column}: INSERT WITH SCHEMA EVOLUTION INTO …."
    return errors.UnknownInsertColumnError(
        column=column, table=str(statement.table), columns=schema.names, advice=advice
    )


def evolved_schema(snapshot: Snapshot, matched: Sequence[Match], context: Context) -> StructType:
    """The table's columns, as wide as the query's where it may widen types, and those that it lacks, at the end.

    Raises ConstraintTypeMismatchError, GeneratedTypeMismatchError.
    """
    data = StructType(tuple(StructField(field.name if field else item.name, item.type) for field, item in matched))
    # Atomic types that differ are cast to the table's, so that only new fields are left to merge.
    widening = automatic_widening(snapshot.configuration, context)
    new = merge_schemas(snapshot.schema, data, mode=MergeMode.IMPLICIT_CAST, widening=widening)
    refuse_dependent_types(new, snapshot)
    return new


def struct_rule(statement: Insert, evolution: bool) -> StructRule:
    """How the fields of the query's structs find those of the table's.

    Schemas evolve by name, so that values must go by name as well.
    """
    if evolution:
        return StructRule.BY_NAME_LENIENT
    return StructRule.BY_NAME if statement.by_name else StructRule.BY_NAME_OR_POSITION


def column_values(
    statement: Insert,
    context: Context,
    schema: StructType,
    matched: Sequence[Match],
    static: dict[str, str],
    rule: StructRule,
    partitions: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """One SQL text per column of the table; those that are generated from others and not given are left out.

    Raises MissingNotNullColumnError for a column that nothing fills.
    """
    align = Alignment(rule, str(statement.table), store_casts(context), "INSERT")
    sources = {(field.name if field else item.name).lower(): item for field, item in matched}
    columns = []
    for field in schema:
        item = sources.get(field.name.lower())
        if field.name in static:
            value = align.cast(static[field.name], field.type, quote(field.name))
        elif item is not None:
            value = align.value(item.sql, item.type, field.type, field.name)
        elif (identity := identity_of(field)) is not None:
            value = identity_sql(field, identity)
        elif generation_of(field) is not None:
            continue
        else:
            value = align.cast(default_sql(field, context), field.type, quote(field.name))
            if not field.nullable and default_sql(field) == "NULL":
                raise errors.MissingNotNullColumnError(column=quote(field.name), table=str(statement.table))
        columns.append((field.name, stored(field, value, partitions)))
    return tuple(columns)


def table_rows(
    rows: Operator, columns: Sequence[tuple[str, str]], schema: StructType, *, few: bool, carried: Sequence[str] = ()
) -> Operator:
    """The query's rows with all columns of the table: those of `column_values`, and what is generated from them.

    `few` says that the rows are the statement's own. Columns of the query that are `carried` stay beside them.
    """
    written = {name for name, _ in columns}
    if any(hidden_names.ORDINAL in sql for _, sql in columns):
        rows = Number(rows, single=few)
    declared = declared_texts(schema)
    beside = tuple((name, name) for name in carried)
    projected = Project(rows, (*columns, *beside), declared)
    if len(written) == len(schema):
        return projected
    # In a projection of their own, so that each value that they are computed from is computed once.
    names = {name: quote(name) for name in written}
    computed = {
        field.name: generated_sql(field, stored_generation(field, schema), names)
        for field in schema
        if field.name not in written and generation_of(field) is not None
    }
    values = {**names, **computed}
    return Project(projected, (*((field.name, values[field.name]) for field in schema), *beside), declared)


def left_to_the_table(
    keywords: Sequence[DefaultKeyword], rows: int, fields: Sequence[StructField | None]
) -> frozenset[int]:
    """The columns of a query, by number, that say DEFAULT for numbers of an identity or for generated values.

    They count as not given. Raises MixedDefaultsError where only some of the rows say so.
    """
    counts = Counter(item.column for item in keywords)
    defaulted = {
        column
        for column in counts
        if column < len(fields) and (field := fields[column]) is not None and is_computed(field)
    }
    for column in defaulted:
        if counts[column] != rows:
            field = fields[column]
            assert field is not None
            refuse_explicit(field)
            raise errors.MixedDefaultsError(quote(field.name))
    return frozenset(defaulted)


def is_computed(field: StructField) -> bool:
    """Whether the table gives the values of a column: an identity or a generation expression."""
    return identity_of(field) is not None or generation_of(field) is not None


def refuse_explicit_identities(matched: Sequence[Match], statement: Insert, context: Context) -> None:
    """Raises ExplicitIdentityError for values of a column that takes none."""
    for field, _ in matched:
        if field is None:
            continue
        path = next((path for path in statement.columns or () if path.parts[-1].lower() == field.name.lower()), None)
        try:
            refuse_explicit(field)
        except DeltaSqlError as error:
            raise error.at(context.caret(path.start, path.end) if path else None) from None


CLAUSE = "REPLACE ON condition"


@dataclass(frozen=True, slots=True)
class Replacement:
    """The rows that are replaced: those for which `on` is TRUE with a row of the query.

    `on` calls the table `target`, and a row to write, with the query's own columns that are `carried` beside the
    table's, `source`. `text` is the clause for the history.
    """

    on: str
    target: str
    source: str
    text: str
    carried: tuple[str, ...] = ()


def replaced_by_columns(
    statement: Insert,
    using: ReplaceUsing,
    schema: StructType,
    columns_of_query: Sequence[QueryColumn],
    matched: Sequence[Match],
    context: Context,
) -> Replacement:
    """REPLACE USING: equal in all columns, as the new rows will have them, so that NULL equals nothing.

    Raises UnresolvedReplaceUsingError for a column that the table or the query lacks, MisalignedReplaceUsingError for
    one with another index in a query whose columns go by position, DuplicateInsertColumnError.
    """
    names: dict[str, None] = {}
    for path in using.columns:
        caret = context.caret(path.start, path.end) if path.end else None
        field = schema.find(path.parts[0]) if len(path.parts) == 1 else None
        if field is None:
            raise errors.UnresolvedReplaceUsingError(str(path), f"table {statement.table}", schema.names).at(caret)
        if field.name in names and path.end:
            raise errors.DuplicateInsertColumnError(str(path), "stands twice in REPLACE USING").at(caret)
        try:
            _refuse_other_position(field, statement, columns_of_query, matched)
        except DeltaSqlError as error:
            raise error.at(caret) from None
        names[field.name] = None
    target = str(statement.table.parts[-1])
    on = " AND ".join(f"{quote(target)}.{quote(name)} = {hidden_names.ROWS}.{quote(name)}" for name in names)
    return Replacement(on, target, hidden_names.ROWS, f"({', '.join(path.parts[-1] for path in using.columns)})")


def _refuse_other_position(
    field: StructField, statement: Insert, columns_of_query: Sequence[QueryColumn], matched: Sequence[Match]
) -> None:
    """Raises UnresolvedReplaceUsingError, MisalignedReplaceUsingError for a column the query lacks or misplaces."""
    taken = next((item for column, item in matched if column is not None and column.name == field.name), None)
    named = statement.columns is not None or statement.by_name
    exists = taken is not None if named else field.name.lower() in folded(item.name for item in columns_of_query)
    if not exists:
        raise errors.UnresolvedReplaceUsingError(
            quote(field.name), "query", tuple(item.name for item in columns_of_query)
        )
    if not named and (taken is None or taken.name.lower() != field.name.lower()):
        raise errors.MisalignedReplaceUsingError(quote(field.name))


def replaced_by_condition(
    statement: Insert,
    condition: SqlText,
    source_alias: str | None,
    schema: StructType,
    columns_of_query: Sequence[QueryColumn],
    context: Context,
) -> Replacement:
    """REPLACE ON: the condition with each name resolved, to a column of the table or of the query as it is.

    Raises AmbiguousReplaceOnError, UnresolvedReplaceOnError, and what forbids sub-queries, aggregates and random
    functions in a condition.
    """
    columns = StructType(tuple(StructField(item.name, item.type) for item in columns_of_query))
    alias = None if statement.alias is None else statement.alias.parts[0]
    if statement.query is DATAFRAME:
        source_alias = _name_of_frame(statement, condition, {*schema.names, *columns.names})
    target, source = with_distinct_aliases(
        side(context, statement.table, alias, schema, "target"), _source_side(statement, source_alias, columns, context)
    )
    names = _Names(target, source, columns_of_query, condition, context)
    if not has_subquery(condition.text):
        names.refuse_unknown()
    on = Scope(context, target, source).condition(condition, CLAUSE)
    on, carried = names.of_rows(on)
    return Replacement(on, target.alias, hidden_names.ROWS, context.text_with_markers(condition), carried)


def _source_side(statement: Insert, alias: str | None, columns: StructType, context: Context) -> Side:
    """The query as the condition may call it: by its alias, else by the name of the one table that it reads."""
    if alias is None:
        references = table_references(statement.query.text)
        if len(references) == 1 and references[0].arguments is None:
            table = TableName(references[0].parts)
            return side(context, table, references[0].alias, columns, hidden_names.ROWS)
        alias = _name_of_values(statement.query) if not references else None
    return side(context, None, alias, columns, hidden_names.ROWS)


def _name_of_frame(statement: Insert, condition: SqlText, columns: Collection[str]) -> str | None:
    """The qualifier by which a condition names the rows of a DataFrame, whose alias is unknown; None if not unique.

    It is the one qualifier that is neither the table's name or alias nor one of the `columns`.
    """
    table = statement.alias or statement.table
    names = folded([*columns, *table.parts[-1:]])
    qualifiers = {item.parts[0] for item in column_references(condition.text) if len(item.parts) > 1}
    candidates = {name.lower(): name for name in qualifiers if name.lower() not in names}
    return next(iter(candidates.values())) if len(candidates) == 1 else None


def _name_of_values(query: SqlText) -> str | None:
    """The alias in VALUES (…), … [AS] alias [(columns)]; None for another query."""
    tokens = query.tokens
    if len(tokens) < 3 or tokens[0].key != "VALUES":
        return None
    at = 1
    while at < len(tokens) and (tokens[at].key == "," or tokens[at].key == "("):
        at = closing(tokens, at) + 1 if tokens[at].key == "(" else at + 1
    at += at < len(tokens) and tokens[at].key == "AS"
    return tokens[at].name if at < len(tokens) and tokens[at].is_name else None


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in a condition of REPLACE ON."""

    target: Side
    source: Side
    columns_of_query: Sequence[QueryColumn]
    condition: SqlText
    context: Context

    def refuse_unknown(self) -> None:
        """Raises AmbiguousReplaceOnError for a column of both sides, UnresolvedReplaceOnError for one of none."""
        for reference in column_references(self.condition.text):
            caret = self.context.caret(self.condition.start + reference.start, self.condition.start + reference.end)
            owners = self._owners(reference.parts)
            name = ".".join(map(quote, reference.parts))
            if len(owners) > 1:
                example = self._shown(self.target, reference.parts[-1])
                raise errors.AmbiguousReplaceOnError(name, example).at(caret)
            if not owners:
                names = tuple(self._shown(item, column) for item in self._sides for column in item.schema.names)
                raise errors.UnresolvedReplaceOnError(name, names).at(caret)

    def of_rows(self, on: str) -> tuple[str, tuple[str, ...]]:
        """The resolved condition over rows that carry the query's columns under generated names, and those names."""
        edits, carried = [], dict[str, None]()
        for reference in column_references(on):
            if reference.parts[0].lower() != self.source.alias.lower():
                continue
            item = next(item for item in self.columns_of_query if item.name.lower() == reference.parts[1].lower())
            carried[item.sql] = None
            path = ".".join([hidden_names.ROWS, item.sql, *map(quote, reference.parts[2:])])
            edits.append((reference.start, reference.end, path))
        return splice(on, edits).sql, tuple(carried)

    @property
    def _sides(self) -> tuple[Side, Side]:
        return self.target, self.source

    def _shown(self, item: Side, column: str) -> str:
        """A column as the condition may call it."""
        return quote(column) if item.alias == hidden_names.ROWS else f"{quote(item.alias)}.{quote(column)}"

    def _owners(self, parts: tuple[str, ...]) -> list[Side]:
        """The sides that have a column called so; a name with one in front belongs to that side alone."""
        named = [item for item in self._sides if self._column(item, parts) is not None]
        if named:
            return named
        return [item for item in self._sides for field in item.schema if field.name.lower() == parts[0].lower()]

    def _column(self, item: Side, parts: tuple[str, ...]) -> str | None:
        """The column of a side in a name that begins with a name of the side."""
        for names in item.all_names:
            length = len(names)
            if length < len(parts) and [part.lower() for part in parts[:length]] == [part.lower() for part in names]:
                matches = [field.name for field in item.schema if field.name.lower() == parts[length].lower()]
                return matches[0] if len(matches) == 1 else None
        return None


def replaced(change: RowChange, rows: Operator, snapshot: Snapshot, how: Replacement, context: Context) -> RowChange:
    """`change` as the rewrite that deletes the replaced rows and inserts `rows`."""
    schema: StructType = change.metadata.schema
    only, mixed, looked_up = _parts(how)
    pruned_by = " AND ".join(f"({text})" for text in only) or None
    scan = binding.scan(context, snapshot, pruned_by, how.target, with_ids=True)
    scan = replace(scan, schema=schema, identity=True)
    columns = _columns_of(how.source, mixed)
    lookup = Lookup(tuple(columns), " AND ".join(f"({text})" for text in looked_up) or None, how.text)
    flag = f"{how.source}.{hidden_names.LOOKUP}"
    on = " AND ".join([flag, *(f"({text})" for text in (*only, *mixed))])
    values = tuple(f"{how.source}.{quote(name)}" for name in schema.names)
    operator = Rewrite(
        target=scan,
        target_alias=how.target,
        join=SourceJoin(rows, how.source, on, _keys(mixed, how, schema), unique_match=False, lookup=lookup),
        actions=(
            RowAction(RowKind.MATCHED, RowEffect.DELETE, None, ()),
            RowAction(RowKind.NOT_MATCHED, RowEffect.INSERT, f"NOT {flag}", values),
        ),
        unchanged=tuple(f"{quote(how.target)}.{quote(name)}" for name in schema.names),
        output=schema,
        checks=(),
    )
    if must_materialize_source(operator):
        # Keys and rows come from one evaluation.
        assert operator.join is not None
        operator = replace(operator, join=replace(operator.join, is_materialized=True))
    done = row_change(change.commit, operator, change.metadata, pruned_by, context)
    return replace(done, identities=change.identities)


def _parts(how: Replacement) -> tuple[list[str], list[str], list[str]]:
    """The conjuncts of the condition: those of the table alone, of both, and of the query alone."""
    only, mixed, looked_up = [], [], []
    for conjunct in split_conjuncts(how.on):
        firsts = {reference.parts[0].lower() for reference in column_references(conjunct.text)}
        if how.source.lower() not in firsts:
            only.append(conjunct.text)
        elif how.target.lower() in firsts:
            mixed.append(conjunct.text)
        else:
            looked_up.append(conjunct.text)
    return only, mixed, looked_up


def _columns_of(source: str, texts: Sequence[str]) -> dict[str, None]:
    """The columns of the source in some conditions, each once."""
    references = (reference for text in texts for reference in column_references(text))
    return dict.fromkeys(item.parts[1] for item in references if item.parts[0].lower() == source.lower())


def _keys(mixed: Sequence[str], how: Replacement, schema: StructType) -> tuple[EqualKey, ...]:
    """The equalities of a column of the table and an expression of the query's."""
    keys = []
    for text in mixed:
        pair = equal_sides(text)
        if pair is None:
            continue
        sides = [{item.parts[0].lower() for item in column_references(part)} for part in pair]
        if sides == [{how.source.lower()}, {how.target.lower()}]:
            pair, sides = (pair[1], pair[0]), sides[::-1]
        if sides == [{how.target.lower()}, {how.source.lower()}]:
            references = column_references(pair[0])
            plain = len(references) == 1 and len(pair[0]) == references[0].end - references[0].start
            plain = plain and not names_collation(text)
            keys.append(EqualKey(*pair, type_at(schema, references[0].parts[1:]) if plain else None))
    return tuple(keys)


def checked_rows(
    rows: Operator, table: TableName, schema: StructType, predicate: SqlText, context: Context
) -> Operator:
    """The query's rows; one outside the predicate (or for which it is NULL) fails the statement."""
    if not context.setting(session_settings.REPLACE_WHERE_CHECK):
        return rows
    return Check(rows, (Constraint(base.REPLACE_WHERE, _unqualified(predicate.text, table, schema)),))


def _unqualified(predicate: str, table: TableName, schema: StructType) -> str:
    """The predicate without the table's name before its columns: the rows of the query have none."""
    names = [tuple(part.lower() for part in table.parts[start:]) for start in range(len(table.parts))]
    cuts = []
    for chain in name_chains(predicate):
        folded = tuple(token.name.lower() for token in chain)
        lengths = [len(name) for name in names if len(name) < len(folded) and folded[: len(name)] == name]
        # A struct column may have the table's name.
        lengths = [length for length in lengths if schema.find(folded[length]) is not None]
        if lengths:
            cuts.append((chain[0].start, chain[max(lengths)].start, ""))
    return splice(predicate, cuts).sql


def replacing(
    write: Write, snapshot: Snapshot, table: TableName, text: SqlText, context: Context
) -> tuple[Rewrite, Reads]:
    """The rewrite that deletes the old rows of the range and inserts the new ones."""
    schema: StructType = write.output
    scope = Scope(context, side(context, table, None, schema, "target"), Side(hidden_names.ROWS, schema))
    predicate = scope.condition(text, base.REPLACE_WHERE, source=False)
    alias = scope.target.alias
    scan = replace(binding.target_rows(context, snapshot, predicate, alias), schema=schema)
    values = tuple(f"{hidden_names.ROWS}.{quote(name)}" for name in schema.names)
    operator = Rewrite(
        target=scan,
        target_alias=alias,
        join=SourceJoin(write.child, hidden_names.ROWS, "FALSE"),
        actions=(
            RowAction(RowKind.NOT_MATCHED_BY_SOURCE, RowEffect.DELETE, predicate, ()),
            RowAction(RowKind.NOT_MATCHED, RowEffect.INSERT, None, values),
        ),
        unchanged=tuple(f"{quote(alias)}.{quote(name)}" for name in schema.names),
        output=schema,
        checks=(),
    )
    return recorded(operator, snapshot.properties), reads_of(operator, predicate, snapshot, context)
