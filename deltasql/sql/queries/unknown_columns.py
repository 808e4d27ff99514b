"""Columns that a query names and none of its tables has, found without an engine.

Errs on the side of silence: a query with anything that may make columns of its own has no such column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from deltasql.schema.types import StructType
from deltasql.sql.postfix import json_paths
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import ColumnReference, free_names
from deltasql.sql.tokens import Token, tokenize

_MAKES_COLUMNS = frozenset(
    {
        *("LATERAL", "PIVOT", "UNPIVOT", "VALUES", "EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER"),
        *("INLINE", "INLINE_OUTER", "STACK", "JSON_TUPLE", "TRANSFORM", "IDENTIFIER", "|>", "RANGE", "TABLE"),
    }
)
_VALUES_WITHOUT_BRACKETS = frozenset(
    {
        *("current_date", "current_timestamp", "current_time", "current_user", "session_user", "user"),
        *("localtimestamp", "current_catalog", "current_schema", "current_database", "default", "_metadata"),
        *("grouping__id", "_row_id", "_change_type", "_commit_version", "_commit_timestamp"),
    }
)
_UNITS = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "dayofyear", "hour", "minute", "second", "millisecond"),
        *("microsecond", "nanosecond", "years", "months", "weeks", "days", "hours", "minutes", "seconds"),
    }
)
Columns = Callable[[TableReference], "StructType | None"]
"""The columns of a table; None where they are not known."""


def unknown_columns(
    text: str, columns_of: Columns, outer: Mapping[str, StructType] = MappingProxyType({})
) -> Iterator[tuple[ColumnReference, tuple[str, ...]]]:
    """The names of a query, or an expression, that no column of its tables has, each with the columns of these.

    `outer` are the tables around an expression, by their aliases.
    """
    references = table_references(text)
    known = [*outer.values(), *map(columns_of, references)]
    tokens = tokenize(text)
    if not known or None in known or _MAKES_COLUMNS & {token.key for token in tokens}:
        return
    names = {field.name.lower(): field.name for columns in known for field in columns or ()}
    aliases = {*outer, *((reference.alias or reference.parts[-1]).lower() for reference in references)}
    allowed = names.keys() | _fields(tokens) | _VALUES_WITHOUT_BRACKETS | _UNITS
    for name in free_names(text, aliases):
        if allowed.isdisjoint(_columns(name, aliases)):
            yield name, tuple(names.values())


def _fields(tokens: Sequence[Token]) -> set[str]:
    """The last fields of paths, `raw:a.b`: by them columns without a name are called, so in ORDER BY."""
    return {path.name.lower() for path in json_paths(tokens)}


def _columns(name: ColumnReference, aliases: Collection[str]) -> set[str]:
    """The parts of a name that may be its column, in lower case: `a`, or the one behind a table as in `c.s.t.a`."""
    parts = [part.lower() for part in name.parts]
    behind = {parts[at + 1] for at in range(min(3, len(parts) - 1)) if parts[at] in aliases}
    return behind if parts[0] in aliases and behind else {parts[0], *behind}
