"""INSERT … REPLACE USING and REPLACE ON: the query's rows replace all rows that match one of them, in one commit.

The source of the rewrite has each row of the query twice, and is read once: as a row to insert, and, without
repetitions, as a key to look up. So one join finds the rows to delete, and no row to insert is lost in it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.insert import (
    AmbiguousReplaceOnError,
    DuplicateInsertColumnError,
    MisalignedReplaceUsingError,
    UnresolvedReplaceOnError,
    UnresolvedReplaceUsingError,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import LOOKUP, ROWS, SqlText, TableName, quote
from deltasql.plan.operators import (
    EqualKey,
    Lookup,
    Operator,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SourceJoin,
)
from deltasql.planner import binding
from deltasql.planner.changes import RowChange
from deltasql.planner.context import Context
from deltasql.planner.rows.row_change import must_materialize_source, row_change
from deltasql.planner.rows.scope import Scope, Side, side, type_at, with_distinct_aliases
from deltasql.schema.paths import folded
from deltasql.schema.types import StructField, StructType
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import column_references, equal_sides, has_subquery, names_collation, split_conjuncts
from deltasql.sql.text_edits import splice
from deltasql.sql.tokens import closing, tokenize
from deltasql.statements.insert_columns import Match, QueryColumn
from deltasql.statements.nodes.frames import DATAFRAME
from deltasql.statements.nodes.insert import Insert, ReplaceUsing

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
            raise UnresolvedReplaceUsingError(str(path), f"table {statement.table}", schema.names).at(caret)
        if field.name in names and path.end:
            raise DuplicateInsertColumnError(str(path), "stands twice in REPLACE USING").at(caret)
        try:
            _refuse_other_position(field, statement, columns_of_query, matched)
        except DeltaSqlError as error:
            raise error.at(caret) from None
        names[field.name] = None
    target = str(statement.table.parts[-1])
    on = " AND ".join(f"{quote(target)}.{quote(name)} = {ROWS}.{quote(name)}" for name in names)
    return Replacement(on, target, ROWS, f"({', '.join(path.parts[-1] for path in using.columns)})")


def _refuse_other_position(
    field: StructField, statement: Insert, columns_of_query: Sequence[QueryColumn], matched: Sequence[Match]
) -> None:
    """Raises UnresolvedReplaceUsingError, MisalignedReplaceUsingError for a column the query lacks or misplaces."""
    taken = next((item for column, item in matched if column is not None and column.name == field.name), None)
    named = statement.columns is not None or statement.by_name
    exists = taken is not None if named else field.name.lower() in folded(item.name for item in columns_of_query)
    if not exists:
        raise UnresolvedReplaceUsingError(quote(field.name), "query", tuple(item.name for item in columns_of_query))
    if not named and (taken is None or taken.name.lower() != field.name.lower()):
        raise MisalignedReplaceUsingError(quote(field.name))


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
    return Replacement(on, target.alias, ROWS, context.text_with_markers(condition), carried)


def _source_side(statement: Insert, alias: str | None, columns: StructType, context: Context) -> Side:
    """The query as the condition may call it: by its alias, else by the name of the one table that it reads."""
    if alias is None:
        references = table_references(statement.query.text)
        if len(references) == 1 and references[0].arguments is None:
            table = TableName(references[0].parts)
            return side(context, table, references[0].alias, columns, ROWS)
        alias = _name_of_values(statement.query.text) if not references else None
    return side(context, None, alias, columns, ROWS)


def _name_of_frame(statement: Insert, condition: SqlText, columns: Collection[str]) -> str | None:
    """The qualifier by which a condition names the rows of a DataFrame, whose alias is unknown; None if not unique.

    It is the one qualifier that is neither the table's name or alias nor one of the `columns`.
    """
    table = statement.alias or statement.table
    names = folded([*columns, *table.parts[-1:]])
    qualifiers = {item.parts[0] for item in column_references(condition.text) if len(item.parts) > 1}
    candidates = {name.lower(): name for name in qualifiers if name.lower() not in names}
    return next(iter(candidates.values())) if len(candidates) == 1 else None


def _name_of_values(query: str) -> str | None:
    """The alias in VALUES (…), … [AS] alias [(columns)]; None for another query."""
    tokens = tokenize(query)
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
                raise AmbiguousReplaceOnError(name, example).at(caret)
            if not owners:
                names = tuple(self._shown(item, column) for item in self._sides for column in item.schema.names)
                raise UnresolvedReplaceOnError(name, names).at(caret)

    def of_rows(self, on: str) -> tuple[str, tuple[str, ...]]:
        """The resolved condition over rows that carry the query's columns under generated names, and those names."""
        edits, carried = [], dict[str, None]()
        for reference in column_references(on):
            if reference.parts[0].lower() != self.source.alias.lower():
                continue
            item = next(item for item in self.columns_of_query if item.name.lower() == reference.parts[1].lower())
            carried[item.sql] = None
            path = ".".join([ROWS, item.sql, *map(quote, reference.parts[2:])])
            edits.append((reference.start, reference.end, path))
        return splice(on, edits).sql, tuple(carried)

    @property
    def _sides(self) -> tuple[Side, Side]:
        return self.target, self.source

    def _shown(self, item: Side, column: str) -> str:
        """A column as the condition may call it."""
        return quote(column) if item.alias == ROWS else f"{quote(item.alias)}.{quote(column)}"

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
    flag = f"{how.source}.{LOOKUP}"
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
