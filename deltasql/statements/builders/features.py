"""Names of table features: `deletionVectors`, `typeWidening-preview`, or a string."""

from __future__ import annotations

from typing import Any

from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.features import FeatureName


@builds("feature_name")
def _feature_name(children: list[Any], tree: Tree, text: str) -> FeatureName:
    written = text[tree.start : tree.end]
    is_plain = len(children) > 1
    return FeatureName(written if is_plain else str(children[0]), tree.start, tree.end)
