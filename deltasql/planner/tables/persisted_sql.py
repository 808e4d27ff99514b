"""Text of views and functions in the catalog: its meaning must not depend on the session or the time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.view import StoredParameterError, TemporaryReferenceError
from deltasql.base.settings.session_settings import TIME_ZONE
from deltasql.plan.base import SqlText, quote
from deltasql.plan.operators import Scan, SqlQuery
from deltasql.planner.context import Context
from deltasql.sql.function_text import function_calls
from deltasql.sql.parser.parameters import markers
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import ColumnReference, free_names


def settings_of_text(context: Context) -> dict[str, str]:
    """The settings that change the meaning of a text; the time zone is one even where it is not set."""
    zone = context.time_zone
    return {**({} if zone is None else {TIME_ZONE.name: zone}), **context.meaning}


def refuse_parameters(name: str, text: SqlText, context: Context) -> None:
    """Raises StoredParameterError for a text with parameters, whether values are bound to them or not."""
    for bound in context.bound.values:
        if text.start <= bound.start < text.start + len(text.text):
            raise StoredParameterError(name, bound.marker).at(context.caret(bound.start, bound.end))
    for start, end in markers(text.text):
        caret = context.caret(text.start + start, text.start + end)
        raise StoredParameterError(name, text.text[start:end]).at(caret)


def refuse_temporary(name: str, text: SqlText, context: Context) -> None:
    """Raises TemporaryReferenceError for a text that names a temporary view or function."""
    for reference in table_references(text.text):
        parts = reference.parts
        ours = context.view_key(parts) is not None
        # A table comes before a view that Spark alone knows.
        if reference.arguments is None and (ours or _is_sparks_view(parts, context)):
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise _temporary(name, "view", parts).at(caret)
    for call in function_calls(text.text):
        if context.temporary_function(call.parts) is not None or context.analyst.knows_function(call.parts):
            caret = context.caret(text.start + call.start, text.start + call.end)
            raise _temporary(name, "function", call.parts).at(caret)


def _temporary(name: str, kind: str, parts: tuple[str, ...]) -> TemporaryReferenceError:
    shown = ".".join(map(quote, parts))
    return TemporaryReferenceError(name, kind, shown, f"Make {shown} without TEMPORARY, or {name} with it.")


def refuse_variables(
    name: str, text: SqlText, rows: SqlQuery, context: Context, parameters: Collection[str] | None = None
) -> None:
    """Raises TemporaryReferenceError for a text that names a variable of the session.

    Columns come before variables, and so do the `parameters` of a function; `rows` is then the query of the tables that
    its text reads. For a view, `parameters` is None and `rows` its query: Spark's plan of it shows whether a name is a
    variable.
    """
    if not context.analyst.started:
        return
    proven = parameters is not None
    for reference in _unexplained(text.text, (*(parameters or ()), *_columns(rows))):
        if _is_variable(_variable(reference.parts), context) and (proven or _uses_variable(rows, context)):
            shown = ".".join(map(quote, reference.parts))
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise TemporaryReferenceError(name, "variable", shown, "Write its value.").at(caret)


def _columns(rows: SqlQuery) -> Iterator[str]:
    """The names of the columns of the tables that `rows` reads directly."""
    for scan in rows.relations.values():
        if isinstance(scan, Scan):
            yield from scan.schema.names


def _unexplained(sql: str, columns: Iterable[str]) -> Iterator[ColumnReference]:
    """The first reference to each name that may be a variable, since it is none of `columns`."""
    column_names, variables = {column.lower() for column in columns}, set[str]()
    for reference in free_names(sql):
        variable = _variable(reference.parts).lower()
        if variable not in variables and reference.parts[0].lower() not in column_names:
            variables.add(variable)
            yield reference


def _variable(parts: tuple[str, ...]) -> str:
    """The quoted variable that a dotted name may refer to, without `session`; the parts behind it are fields."""
    folded = [part.lower() for part in parts]
    at = 2 if folded[:2] == ["system", "session"] else 1 if folded[0] == "session" else 0
    return quote(parts[at] if at < len(parts) else parts[0])


def _is_variable(name: str, context: Context) -> bool:
    try:
        context.analyst.schema(SqlQuery(f"SELECT session.{name}", {}, "query"))
    except DeltaSqlError:
        return False
    return True


def _uses_variable(rows: SqlQuery, context: Context) -> bool:
    return "variablereference(" in context.analyst.spark_plan(rows, "extended")


def _is_sparks_view(parts: tuple[str, ...], context: Context) -> bool:
    return len(parts) <= 3 and context.catalog.find(parts) is None and context.analyst.knows_view(parts)
