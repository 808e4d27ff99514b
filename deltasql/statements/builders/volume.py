"""CREATE VOLUME, and paths of files."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.volume import CreateVolume, FilePath


@builds("create_volume")
def _create_volume(children: list[Any], tree: Tree, text: str) -> CreateVolume:
    mode, external, if_not_exists, volume, *clauses = children
    if mode != "create":
        reason = "A volume is not replaced: DROP VOLUME removes one."
        raise ParseSyntaxError(reason, "OR REPLACE").at(caret(tree.children[0], text))
    return CreateVolume(external, if_not_exists, volume, **collect(clauses, tree.children[4:], text))


@builds("volume_location", "volume_comment")
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removeprefix("volume_"), children[0])


@builds("file_path")
def _file_path(children: list[Any], tree: Tree, text: str) -> FilePath:
    return FilePath(children[0], tree.start, tree.end)
