"""What a rewrite did, before it is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deltasql.engine.writing.stage import Staged
from deltasql.plan.operators import RowAction, RowEffect, RowKind

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rewrite did: new files, log paths of the replaced ones, rows per action, and rows copied unchanged.

    `marked` are the positions (sorted) of changed rows in files that stay, by log path.
    """

    staged: Staged
    removed: tuple[str, ...]
    counts: tuple[int, ...]
    copied: int
    source_rows: int
    marked: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def rows(self, actions: tuple[RowAction, ...], effect: RowEffect, kind: RowKind | None = None) -> int:
        """Rows on which actions of an effect (and a kind) ran."""
        pairs = zip(actions, self.counts, strict=True)
        return sum(n for action, n in pairs if action.effect is effect and kind in {None, action.kind})
