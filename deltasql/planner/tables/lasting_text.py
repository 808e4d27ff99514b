"""Text that the catalog keeps, of views and functions: it must mean the same to everybody, at any time."""

from __future__ import annotations

from deltasql.errors.statements.view import StoredParameterError, TemporaryReferenceError
from deltasql.plan.base import SqlText, quote
from deltasql.planner.context import Context
from deltasql.settings.session_settings import TIME_ZONE
from deltasql.sql.function_text import function_calls
from deltasql.sql.relations import table_references


def settings_of_text(context: Context) -> dict[str, str]:
    """The settings that say what a text means; the time zone is one, though nobody has set it."""
    zone = context.time_zone
    return {**({} if zone is None else {TIME_ZONE.name: zone}), **context.meaning}


def refuse_parameters(name: str, text: SqlText, context: Context) -> None:
    """Raises StoredParameterError for a text in which parameters have been given their values."""
    for bound in context.bound.values:
        if text.start <= bound.start < text.start + len(text.text):
            raise StoredParameterError(name, bound.marker).at(context.caret(bound.start, bound.end))


def refuse_temporary(name: str, text: SqlText, context: Context) -> None:
    """Raises TemporaryReferenceError for a text that names a temporary view or function."""
    for reference in table_references(text.text):
        parts = reference.parts
        ours = context.view_key(parts) is not None
        # A table comes before a view that Spark alone knows.
        if reference.arguments is None and (ours or _is_sparks_view(parts, context)):
            place = context.caret(text.start + reference.start, text.start + reference.end)
            raise TemporaryReferenceError(name, "view", ".".join(map(quote, parts))).at(place)
    for call in function_calls(text.text):
        if context.temporary_function(call.parts) is not None or context.analyst.knows_function(call.parts):
            place = context.caret(text.start + call.start, text.start + call.end)
            raise TemporaryReferenceError(name, "function", ".".join(map(quote, call.parts))).at(place)


def _is_sparks_view(parts: tuple[str, ...], context: Context) -> bool:
    return len(parts) <= 3 and context.catalog.find(parts) is None and context.analyst.knows_view(parts)
