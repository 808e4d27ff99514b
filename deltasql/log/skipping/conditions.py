"""Conditions on columns, the form of a predicate that file skipping evaluates.

A condition states when a predicate is TRUE. It has no negations, since NOT p is TRUE where p is FALSE, not where it is
NULL: NOT (a < 1) becomes a >= 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.schema.type_lattice import INTEGRAL_NAMES
from deltasql.schema.types import DataType, PrimitiveType
from deltasql.sql.literals import Value

INTEGRAL = INTEGRAL_NAMES


@dataclass(frozen=True, slots=True)
class BoundedColumn:
    """A column or nested field. `path` has physical names; `partition` is the logical name of a partition column."""

    path: tuple[str, ...]
    type: DataType
    partition: str | None

    @property
    def kind(self) -> str:
        """The name of the column's type: integer, decimal, string …"""
        return self.type.name if isinstance(self.type, PrimitiveType) else type(self.type).__name__[:-4].lower()


@dataclass(frozen=True, slots=True)
class Comparison:
    """column op value, with op one of = <> < <= > >="""

    column: BoundedColumn
    op: str
    value: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """column [NOT] IN values"""

    column: BoundedColumn
    values: tuple[Value, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class NullTest:
    """column IS [NOT] NULL"""

    column: BoundedColumn
    negated: bool


@dataclass(frozen=True, slots=True)
class Like:
    """column [NOT] LIKE pattern, without escapes"""

    column: BoundedColumn
    pattern: str
    negated: bool

    @property
    def prefix(self) -> str:
        """The literal prefix of all matching values."""
        return re.split("[%_]", self.pattern, maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class AllOf:
    """TRUE where all parts are TRUE; always TRUE without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """TRUE where at least one part is TRUE; never TRUE without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a predicate that file skipping cannot evaluate: it may be TRUE in any row."""


Leaf: TypeAlias = Union[Comparison, OneOf, NullTest, Like]
Condition: TypeAlias = Union[Leaf, AllOf, AnyOf, Unknown]

UNKNOWN = Unknown()
ALWAYS, NEVER = AllOf(()), AnyOf(())


def leaves(condition: Condition) -> Iterator[Leaf | Unknown]:
    """The conditions on single columns, and Unknown parts, within `condition`."""
    if isinstance(condition, (AllOf, AnyOf)):
        for part in condition.parts:
            yield from leaves(part)
        return
    yield condition


def comparison_holds(left: Value, op: str, right: Value) -> bool:
    """Whether `left op right` is true, for values of one kind that are not NaN."""
    # Mixed numbers compare exactly in Python.
    if op in {"=", "<>"}:
        return (left == right) == (op == "=")
    is_less, is_same = left < right, left == right  # type: ignore[operator]
    return (is_less if "<" in op else not is_less and not is_same) or (is_same and "=" in op)
