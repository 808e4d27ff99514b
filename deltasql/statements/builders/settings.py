"""SET and RESET: keys without back-ticks, values as they are written."""

from __future__ import annotations

from typing import Any

from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.settings import SetSetting


@builds("set_setting")
def _set_setting(children: list[Any], tree: Tree, text: str) -> SetSetting:
    key, value = children
    return SetSetting(key, value.strip() if value is not None else None)
