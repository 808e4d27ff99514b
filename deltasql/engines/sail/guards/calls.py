"""Function calls in a text for Sail; `compared_only` refuses calls whose results were not compared with Spark's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from deltasql.base.errors.engine import NotOnSailError
from deltasql.engines.sail.guards.comparisons import ComparedParts
from deltasql.engines.sail.guards.exact_types import Operand, common_type
from deltasql.engines.sail.guards.guards import MIXED, Kind, is_compared
from deltasql.schema.text import sql_text
from deltasql.schema.types import DataType

_SIDES = {"BOTH": "BTRIM", "LEADING": "LTRIM", "TRAILING": "RTRIM"}
_BETWEEN = frozenset({"FROM", "FOR", "IN", "PLACING"})
"""Words that stand between arguments in place of a comma: substring(s FROM 1 FOR 2)."""
_SPOKEN = frozenset({"EXTRACT", "TRIM", "SUBSTR", "SUBSTRING", "POSITION", "OVERLAY"})


class ComparedCalls(ComparedParts):
    """One text; with `compared_only` a call is refused whose results were not compared with Spark's."""

    compared_only = False

    def operands(self, opening: int, close: int) -> list[Operand]:
        """The arguments of a call between two brackets, without DISTINCT."""
        spans = [(first + (self.key(first) == "DISTINCT"), last) for first, last in self.spans(opening, close)]
        return [Operand(self.between(*span), self.render(*span), span[0]) for span in spans if span[0] < span[1]]

    def require_compared(self, name: str, opening: int, close: int) -> None:
        """Raises NotOnSailError for a call whose results on Sail were not compared with Spark's."""
        if not self.compared_only:
            return
        name, operands = self._spoken(name, opening, close)
        if not is_compared(name, self._compared_arguments(name, operands), ansi=self.ansi):
            shown = ", ".join(map(_shown, (self.exact.kind(operand) for operand in operands)))
            raise NotOnSailError(what=f"{name.lower()}({shown}), whose results were not compared with Spark's")

    def _compared_arguments(self, name: str, operands: Sequence[Operand]) -> list[tuple[str, Kind]]:
        """The arguments of a call with their types; for MIXED the common type, to which they are cast."""
        kinds = [self.exact.kind(operand) for operand in operands] if name in MIXED else []
        typed = [kind for kind in kinds if kind is not None]
        if typed and len(typed) == len(kinds):
            return [(operand.raw, partial(_same, common_type(typed))) for operand in operands]
        return [(operand.raw, partial(self.exact.kind, operand)) for operand in operands]

    def _is_outer(self, opening: int, at: int) -> bool:
        """Whether a token is outside of inner brackets within those that open at `opening`."""
        depth = 0
        for index in range(opening + 1, at):
            depth += (self.key(index) in {"(", "["}) - (self.key(index) in {")", "]"})
        return depth == 0

    def _spoken(self, name: str, opening: int, close: int) -> tuple[str, list[Operand]]:
        """The function and arguments of a call; TRIM(BOTH x FROM s) and the like as a call with plain arguments."""
        if name not in _SPOKEN:
            return name, self.operands(opening, close)
        words = [at for at in range(opening + 1, close) if self.key(at) in _BETWEEN and self._is_outer(opening, at)]
        if not words:
            return name, self.operands(opening, close)
        side = _SIDES.get(self.key(opening + 1), "")
        operands = list(self._between([opening + bool(side), *words, close]))
        if name == "EXTRACT":
            return "DATE_PART", [operands[0]._replace(raw=f"'{operands[0].raw}'"), *operands[1:]]
        return (side or "BTRIM", operands[::-1]) if name == "TRIM" else (name, operands)

    def _between(self, cuts: Sequence[int]) -> Iterator[Operand]:
        for before, behind in pairwise(cuts):
            if behind > before + 1:
                yield Operand(self.between(before + 1, behind), self.render(before + 1, behind), before + 1)


def _same(kind: DataType | None) -> DataType | None:
    return kind


def _shown(kind: DataType | None) -> str:
    return "an unknown type" if kind is None else sql_text(kind)
