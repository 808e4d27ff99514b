"""SET and UNSET of tags, in both their forms."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import ColumnPath, TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.tags import NewTag, SetTags, Tagged, TagKey, UnsetTags

_KINDS = {kind.value.lower(): kind for kind in Tagged}
_SET = {f"set_{kind}_{form}": (kind, form == "tag") for kind in _KINDS for form in ("tags", "tag")}
_UNSET = {f"un{name}": value for name, value in _SET.items()}


@builds("tag_key")
def _key(children: list[Any], tree: Tree, text: str) -> TagKey:
    return TagKey(children[0], tree.start, tree.end)


@builds("tag_value")
def _value(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0])


@builds("new_tag")
def _new_tag(children: list[Any], tree: Tree, text: str) -> NewTag:
    key, value = children
    return NewTag(key, value or "")


def _target(children: list[Any]) -> tuple[TableName | None, ColumnPath | None]:
    table = next((child for child in children if isinstance(child, TableName)), None)
    return table, next((child for child in children if isinstance(child, ColumnPath)), None)


@builds(*_SET)
def _set_tags(children: list[Any], tree: Tree, text: str) -> SetTags:
    kind, single = _SET[tree.name]
    *target, tags = children
    return SetTags(_KINDS[kind], *_target(target), (tags,) if single else tags, single)


@builds(*_UNSET)
def _unset_tags(children: list[Any], tree: Tree, text: str) -> UnsetTags:
    kind, single = _UNSET[tree.name]
    *target, keys = children
    return UnsetTags(_KINDS[kind], *_target(target), (keys,) if single else keys, single)
