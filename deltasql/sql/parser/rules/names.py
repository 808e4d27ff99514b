"""Names, flags and numbers that all families share."""

from __future__ import annotations

import re
from typing import Any

from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import ColumnPath, SqlText, TableName, Temporal
from deltasql.sql.parser.automaton import GrammarToken, Tree
from deltasql.sql.parser.build import builds, caret

_PATH_SUFFIX = re.compile(r"@(?:[vV](\d+)|(\d{17}))$")


@builds("yes")
def _yes(children: list[Any], tree: Tree, text: str) -> bool:
    return True


@builds("no", "by_position")
def _no(children: list[Any], tree: Tree, text: str) -> bool:
    return False


@builds("nothing")
def _nothing(children: list[Any], tree: Tree, text: str) -> None:
    return None


@builds("name", "positive", "table_or_path", "statement", "start")
def _only_child(children: list[Any], tree: Tree, text: str) -> Any:
    return children[0]


@builds("negative")
def _negative(children: list[Any], tree: Tree, text: str) -> int:
    return -int(children[0])


@builds("column_path")
def _column_path(children: list[Any], tree: Tree, text: str) -> ColumnPath:
    return ColumnPath(tuple(children), tree.start, tree.end)


@builds("table_name")
def _table_name(children: list[Any], tree: Tree, text: str) -> TableName:
    *parts, _ = children
    if len(parts) > 3:
        reason = "A table name has at most three parts: catalog.schema.table."
        raise ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))
    suffix = tree.children[-1]
    if suffix is not None:
        return TableName(tuple(parts), tree.start, tree.end, _suffix_temporal(suffix, text))
    if len(parts) == 2 and parts[0].lower() == "delta":
        return _path_table(parts[1], tree, text)
    return TableName(tuple(parts), tree.start, tree.end)


@builds("path_table")
def _string_table(children: list[Any], tree: Tree, text: str) -> TableName:
    return _path_table(children[0], tree, text)


def _suffix_temporal(suffix: GrammarToken, text: str) -> Temporal:
    if suffix.name == "AT_VERSION":
        return Temporal(version=int(text[suffix.start + 2 : suffix.end]))
    return Temporal(timestamp=SqlText(text[suffix.start + 1 : suffix.end], suffix.start + 1))


def _path_table(path: str, tree: Tree, text: str) -> TableName:
    """The table at `path`, whose suffix @v3 or @20240131000000000 says which version."""
    suffix = _PATH_SUFFIX.search(path)
    if suffix is None:
        return TableName(("delta", path), tree.start, tree.end)
    version, timestamp = suffix.groups()
    temporal = Temporal(version=int(version)) if version else None
    if timestamp:
        temporal = Temporal(timestamp=SqlText(timestamp, text.rindex(timestamp, tree.start, tree.end)))
    return TableName(("delta", path[: suffix.start()]), tree.start, tree.end, temporal)
