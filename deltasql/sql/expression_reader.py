"""The grammar of scalar expressions: precedence of operators, and the forms of comparisons and tests.

Whoever reads an expression in this process does so by a subclass, which says what is made of each operator: its type
(`expression_types`), its evaluation (`evaluated`), the parts of an aggregate (`queries.incremental`). sqlglot reads
whole queries. Source: Spark's SQL grammar, operator precedence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from deltasql.base import LeftToEngineError, TokenCursor

V = TypeVar("V")
COMPARISONS = {"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "<=>"}
"""Operators, and the one spelling of each."""
_BITS = frozenset({"&", "|", "^", "<<", ">>"})


class ExpressionReader(TokenCursor, Generic[V]):
    """Each method reads one level of precedence, the weakest first. Raises LeftToEngineError for any other text."""

    sums: ClassVar[Sequence[str]] = ("+", "-")
    products: ClassVar[Sequence[str]] = ("*", "/", "%")
    chains: ClassVar[bool] = True
    """Whether a comparison may follow another one: `a = b IS NULL`."""

    def expression(self) -> V:
        return self._joined("OR", self.conjunction)

    def conjunction(self) -> V:
        return self._joined("AND", self.negation)

    def _joined(self, operator: str, read: Callable[[], V]) -> V:
        parts = [read()]
        while self.take(operator):
            parts.append(read())
        return parts[0] if len(parts) == 1 else self.joined(operator, parts)

    def negation(self) -> V:
        if self.take("NOT", "!"):
            return self.denied(self.negation())
        return self.predicate()

    def predicate(self) -> V:
        """Comparisons and tests, one after another."""
        left = self.sum()
        while self.left:
            if operator := self.take(*COMPARISONS):
                left = self.compared(COMPARISONS[operator], left, self.sum())
            elif self.take("IS"):
                left = self.tested(left, denied=bool(self.take("NOT")))
            else:
                start, denied = self.at, bool(self.take("NOT"))
                word = self.take("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")
                if not word:
                    self.at = start
                    return left
                left = self.member(left, word, denied=denied)
            if not self.chains:
                return left
        return left

    def bounds(self) -> list[V]:
        """The two values of BETWEEN."""
        low = self.sum()
        self.need("AND")
        return [low, self.sum()]

    def sum(self) -> V:
        left = self.product()
        while operator := self.take(*self.sums):
            left = self.computed(operator, left, self.product())
        # Operators on bits bind weaker than these, and stronger than comparisons.
        if self.key in _BITS:
            raise LeftToEngineError
        return left

    def product(self) -> V:
        left = self.sign()
        while operator := self.take(*self.products):
            left = self.computed(operator, left, self.sign())
        return left

    def sign(self) -> V:
        """An operand with its sign."""
        return self.operand()

    @abstractmethod
    def operand(self) -> V:
        """A literal, a column, a call, or an expression in brackets."""

    @abstractmethod
    def computed(self, operator: str, left: V, right: V) -> V:
        """The result of `sums` and `products`."""

    def joined(self, operator: str, parts: Sequence[V]) -> V:
        """AND or OR of two or more."""
        raise LeftToEngineError

    def denied(self, value: V) -> V:
        """NOT of a condition."""
        raise LeftToEngineError

    def compared(self, operator: str, left: V, right: V) -> V:
        """A comparison by one of the values of COMPARISONS."""
        raise LeftToEngineError

    def tested(self, value: V, *, denied: bool) -> V:
        """A test with IS, or with IS NOT if `denied`; its word is next."""
        raise LeftToEngineError

    def member(self, value: V, word: str, *, denied: bool) -> V:
        """A test with BETWEEN, IN, LIKE …, with NOT before it if `denied`."""
        raise LeftToEngineError
