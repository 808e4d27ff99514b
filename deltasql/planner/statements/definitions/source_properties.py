"""Changes of what the catalog stores of a table of another format: its properties and its comment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from deltasql.catalog.definitions import TableSource
from deltasql.catalog.entries import TableEntry, sql_name
from deltasql.errors.statements.properties import UnsetMissingPropertyError
from deltasql.plan.base import TableName
from deltasql.planner.catalog_changes import SourceDefining
from deltasql.planner.context import Context

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
        raise UnsetMissingPropertyError(key=min(missing), table=sql_name(entry.parts))

    def change(source: TableSource) -> TableSource:
        kept = {key: value for key, value in source.properties.items() if key not in removed}
        return replace(source, properties=kept, comment=None if _COMMENT in removed else source.comment)

    return change


def with_comment(comment: str | None) -> Redefine:
    """Sets the comment; None removes it."""
    return lambda source: replace(source, comment=comment)
