"""Changes of a table's columns by a statement, one a line."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.planner.show.create_text import column_rules
from deltasql.schema.column_mapping import ID
from deltasql.schema.lengths import declared_type
from deltasql.schema.paths import walk
from deltasql.schema.text import kind_text, path_text, quote_text, sql_text
from deltasql.schema.types import StructField, StructType

Path = tuple[str, ...]
MOST_LINES = 12


def schema_changes(before: StructType, after: StructType) -> list[str]:
    """Lines for new (`+`), dropped (`-`) and changed (`~`) columns and fields, in the table's order."""
    lines = list(_changes(dict(walk(before)), dict(walk(after))))
    if not lines and _order(before) != _order(after):
        lines = [f"~ order: {', '.join(path_text((name,)) for name in after.names)}"]
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more} more"]


def _changes(old: dict[Path, StructField], new: dict[Path, StructField]) -> Iterator[str]:
    origins = _origins(old, new)
    for path, field in new.items():
        was = origins.get(path)
        if was is not None:
            yield from _change(was, path, old[was], field)
        elif len(path) == 1 or path[:-1] in origins:
            yield f"+ {path_text(path)} {_field_text(field)}"
    gone = old.keys() - origins.values()
    yield from (
        f"- {path_text(path)} {_field_text(old[path])}" for path in old if path in gone and path[:-1] not in gone
    )


def _change(was: Path, path: Path, before: StructField, after: StructField) -> Iterator[str]:
    if was[-1] != path[-1]:
        yield f"~ {path_text(was)} is now {path_text(path)}"
    if _kind(before) != _kind(after) or [*column_rules(before)] != [*column_rules(after)]:
        yield f"~ {path_text(path)} {_field_text(before)} is now {_field_text(after)}"
    elif before.comment != after.comment:
        comment = "without a comment" if after.comment is None else f"COMMENT {quote_text(after.comment)}"
        yield f"~ {path_text(path)} is now {comment}"


def _origins(old: dict[Path, StructField], new: dict[Path, StructField]) -> dict[Path, Path]:
    """The old path of each field that is not new: by its id if it has one, else by its path."""
    ids = {field.metadata[ID]: path for path, field in old.items() if ID in field.metadata}
    origins = {path: ids.get(field.metadata.get(ID), path) for path, field in new.items()}
    return {path: was for path, was in origins.items() if was in old}


def _kind(field: StructField) -> str:
    return kind_text(declared_type(field))


def _field_text(field: StructField) -> str:
    return " ".join([sql_text(declared_type(field)), *column_rules(field)])


def _order(schema: StructType) -> list[Path]:
    return [path for path, _ in walk(schema)]
