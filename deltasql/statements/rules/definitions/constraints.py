"""Conditions in Spark SQL that every row must satisfy: NOT NULL, CHECK constraints, column invariants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.constraints import (
    CheckAggregateError,
    CheckExpressionError,
    CheckFunctionError,
    CheckNotDeterministicError,
    ConstraintDeclaredTwiceError,
    ConstraintDependentColumnError,
    ConstraintExistsError,
    ConstraintNotFoundError,
    NewCheckViolationError,
    NonBooleanConstraintError,
)
from deltasql.base.settings.session_settings import CONSTRAINT_MAY_MISS
from deltasql.log.actions import actions
from deltasql.log.configuration.keys import keys_of
from deltasql.log.configuration.properties import protocol_for
from deltasql.log.properties.property_registry import CONSTRAINT_PREFIX, TableProperties
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ROWS, SqlText, hidden_view, quote
from deltasql.plan.operators import Constraint, SqlQuery
from deltasql.planner import binding
from deltasql.planner.changes import CommitSpec, Plan, TableChange, Verification
from deltasql.planner.context import Context, plan
from deltasql.planner.rows.row_change import WHOLE_TABLE
from deltasql.planner.values.alignment import length_checks
from deltasql.planner.values.defaults import types_of
from deltasql.schema.checks import INVARIANTS, column_invariants
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import BOOLEAN, StructField, StructType
from deltasql.sql.expression_types import derived_type
from deltasql.sql.references import refers_to
from deltasql.sql.stored_expressions import Reason, Use, bare, declared_refusal, refusal, stored_refusal
from deltasql.sql.tokens import tokenize
from deltasql.statements.keys import drop_first, refuse_key_change
from deltasql.statements.nodes.constraints import AddConstraint, DropConstraint, KeyConstraint
from deltasql.statements.nodes.table import CheckConstraint
from deltasql.statements.rules.definitions.keys import dropped_key


@plan.register
def _(statement: AddConstraint, context: Context) -> Plan:
    """The condition must be TRUE for every existing row; NULL counts as a violation."""
    log, snapshot = context.writable(statement.table)
    name = statement.name.lower()
    constraints = {key: f"CHECK ({condition})" for key, condition in snapshot.properties.constraints.items()}
    constraints |= {key.name: key.definition((snapshot.table,)) for key in keys_of(snapshot.metadata)}
    if name in constraints:
        raise ConstraintExistsError(snapshot.table, name, constraints[name])
    condition = inside(statement.condition)
    text = condition.text
    check_condition(name, condition, context)
    # Written rows are checked without a name, so that t.a must not be found here either.
    kind = derived_type(condition.text, snapshot.schema)
    if kind is None:
        kind = context.analyst.types([(binding.scan(context, snapshot), ROWS)], [condition.text])[0]
    check_condition(name, condition, context, snapshot.schema)
    if kind != BOOLEAN:
        raise NonBooleanConstraintError(name, text, type_text(kind)).at(context.caret(condition.start, condition.end))
    metadata = snapshot.metadata.with_configuration({f"{CONSTRAINT_PREFIX}{name}": text})
    protocol = protocol_for(metadata.schema, metadata.configuration, current=snapshot.protocol, table=snapshot.table)
    changed = () if protocol == snapshot.protocol else (protocol,)
    error = NewCheckViolationError(name, snapshot.table, text)
    broken = verification(context, snapshot, f"NOT ({text}) OR ({text}) IS NULL", error)
    verify = () if broken is None else (broken,)
    return TableChange(
        CommitSpec(
            log,
            snapshot,
            actions.ADD_CONSTRAINT,
            {"name": name, "expr": text},
            (*changed, metadata),
            reads=WHOLE_TABLE,
        ),
        verify=verify,
    )


def inside(brackets: SqlText) -> SqlText:
    """The condition between its parentheses, without a comment at its end, which would hide what follows it in SQL."""
    inner = tokenize(brackets.text)[1:-1]
    return SqlText(brackets.text[inner[0].start : inner[-1].end], brackets.start + inner[0].start)


_OF_CHECKS = {
    Reason.AGGREGATE: CheckAggregateError,
    Reason.RANDOM: CheckNotDeterministicError,
    Reason.FUNCTION: CheckFunctionError,
}


def check_condition(name: str, condition: SqlText, context: Context, schema: StructType | None = None) -> None:
    """Raises what forbids that a statement declares this condition: it looks at more than the columns of a row.

    That of a function or a name nobody knows Spark says better: the `schema` of a condition that Spark has looked at.
    """
    # A name that is no column, and that Spark knows, is a variable of the session.
    errors = (
        refusal(condition.text, Use.CHECK) if schema is None else declared_refusal(condition.text, Use.CHECK, schema)
    )
    if errors is not None and (schema is not None or errors.reason is not Reason.FUNCTION):
        advice = "It is a condition of one row, of Spark's own functions, and the same each time."
        error = _OF_CHECKS.get(errors.reason, CheckExpressionError)(errors.part, name, condition.text, advice)
        raise error.at(context.caret(condition.start + errors.start, condition.start + errors.end))


def _stored_condition(name: str, text: str, schema: StructType, remedy: str, kind: str) -> str:
    """SQL of a condition that a table carries. Raises what forbids that it runs; `remedy` says how to get rid of it."""
    refused = stored_refusal(text, Use.CHECK, schema)
    if refused is None:
        return bare(text)
    advice = f"No row is written while it is there: {remedy}."
    raise _OF_CHECKS.get(refused.reason, CheckExpressionError)(refused.part, name, text, advice, kind)


def declared_constraints(
    constraints: Sequence[CheckConstraint | KeyConstraint], schema: StructType, table: str, context: Context
) -> dict[str, str]:
    """The properties that keep the CHECK constraints of a new table, whose rows are still to come.

    One without a name is called check_1, check_2 … Raises ConstraintDeclaredTwiceError, NonBooleanConstraintError.
    """
    declared: dict[str, str] = {}
    names = {item.name.lower() for item in constraints if item.name is not None}
    free = (f"check_{number}" for number in count(1) if f"check_{number}" not in names)
    for item in (item for item in constraints if isinstance(item, CheckConstraint)):
        name, condition = next(free) if item.name is None else item.name.lower(), inside(item.condition)
        key, caret = f"{CONSTRAINT_PREFIX}{name}", context.caret(condition.start, condition.end)
        if key in declared:
            raise ConstraintDeclaredTwiceError(table, name, f"CHECK ({declared[key]})").at(caret)
        check_condition(name, condition, context)
        try:
            (kind,) = types_of(schema, [condition.text], context)
        except DeltaSqlError as error:
            raise error.at(caret) from None
        check_condition(name, condition, context, schema)
        if kind != BOOLEAN:
            raise NonBooleanConstraintError(name, condition.text, type_text(kind)).at(caret)
        declared[key] = condition.text
    return declared


@plan.register
def _(statement: DropConstraint, context: Context) -> Plan:
    """A commit is made even where IF EXISTS finds nothing, as Delta does."""
    log, snapshot = context.writable(statement.table)
    name = statement.name.lower()
    keys = [key for key in keys_of(snapshot.metadata) if key.name == name]
    if keys:
        return dropped_key(statement.table, keys[0], statement.cascade, context)
    constraints = snapshot.properties.constraints
    if name not in constraints and not (statement.if_exists or context.setting(CONSTRAINT_MAY_MISS)):
        raise ConstraintNotFoundError(snapshot.table, name)
    rest = {key: value for key, value in snapshot.configuration.items() if key.lower() != f"{CONSTRAINT_PREFIX}{name}"}
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(rest))
    parameters = {"name": name, "existed": str(name in constraints).lower()}
    if name in constraints:
        parameters["expr"] = constraints[name]
    return TableChange(CommitSpec(log, snapshot, actions.DROP_CONSTRAINT, parameters, (metadata,)))


def verification(context: Context, snapshot: Snapshot, broken: str, error: DeltaSqlError) -> Verification | None:
    """A check of existing rows: one for which `broken` is TRUE is an error. None for an empty table."""
    if snapshot.is_plainly_empty:
        return None
    scan = binding.scan(context, snapshot, broken)
    if scan.files.num_rows == 0:
        return None
    view = hidden_view()
    # A column that the condition reads anyway: in-process evaluation selects columns alone.
    used = (quote(field.name) for field in snapshot.schema if refers_to(broken, (field.name,)))
    query = f"SELECT {next(used, '1')} FROM {view} AS {ROWS} WHERE {broken} LIMIT 1"
    return Verification(SqlQuery(query, {view: scan}), error)


def refuse_dependent(path: tuple[str, ...], operation: str, snapshot: Snapshot) -> None:
    """Raises ConstraintDependentColumnError if a CHECK constraint or a column invariant refers to the column.

    So it does to what holds the column, and to its fields. A key is in the way of nothing but dropping the column.
    """
    if operation == "drop":
        refuse_key_change(path, operation, snapshot)
    column, table = path_text(path), snapshot.table
    for name, expression in snapshot.properties.constraints.items():
        if refers_to(expression, path):
            raise ConstraintDependentColumnError(operation, column, name, expression, drop_first(table, name))
    for name, expression in column_invariants(snapshot.schema).items():
        if refers_to(expression, path):
            advice = f"No statement removes it; a copy has none: CREATE TABLE … AS SELECT * FROM {table}."
            raise ConstraintDependentColumnError(operation, column, name, expression, advice, "column invariant")


def constraints_of(
    schema: StructType, configuration: Mapping[str, str], table: str, skip: frozenset[str] = frozenset()
) -> tuple[Constraint, ...]:
    """The constraints of a table, NOT NULL first. Columns in `skip` are known to be written as they were read.

    Raises what `_stored_condition` raises.
    """
    drop, keeper = f"ALTER TABLE {table} DROP CONSTRAINT", f"{INVARIANTS} in the metadata of a column of {table}"
    lengths = [check for field in schema if field.name not in skip for check in length_checks(field)]
    not_null = [item for field in schema if field.name not in skip for item in _not_null(field, (), None)]
    checks = [
        Constraint(name, _stored_condition(name, text, schema, f"{drop} {quote(name)}", "CHECK constraint"))
        for name, text in TableProperties(configuration).constraints.items()
    ]
    invariants = [
        Constraint(name, _stored_condition(name, text, schema, keeper, "column invariant"))
        for name, text in column_invariants(schema).items()
    ]
    return (*not_null, *lengths, *sorted(checks, key=lambda item: item.name), *invariants)


def _not_null(field: StructField, parents: tuple[str, ...], parent: str | None) -> Iterator[Constraint]:
    """A field below a NULL struct is not missing: only structs that are not NULL must have it."""
    names = (*parents, field.name)
    path = ".".join(quote(name) for name in names)
    if not field.nullable:
        condition = f"{path} IS NOT NULL"
        condition = condition if parent is None else f"{parent} IS NULL OR {condition}"
        yield Constraint(f"NOT NULL {path}", condition, path)
    if isinstance(field.type, StructType):
        for item in field.type:
            yield from _not_null(item, names, path)
