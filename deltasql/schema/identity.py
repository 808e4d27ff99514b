"""Identity columns, by the metadata of their column. Source: Delta protocol, Identity Columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deltasql.schema.types import StructField, StructType

START, STEP = "delta.identity.start", "delta.identity.step"
HIGH_WATER_MARK = "delta.identity.highWaterMark"
ALLOW_EXPLICIT = "delta.identity.allowExplicitInsert"
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Identity:
    """The numbers start, start + step, … of a column; those up to `high_water_mark` (None: none) are used up."""

    start: int
    step: int
    allow_explicit: bool
    high_water_mark: int | None = None

    @property
    def next_value(self) -> int:
        """The first number that is free; it may lie beyond 64 bits."""
        mark = self.high_water_mark
        if mark is None or (self.start - mark) * self.step > 0:
            return self.start
        return self.start + ((mark - self.start) // self.step + 1) * self.step

    @property
    def left(self) -> int:
        """How many numbers are free from `next_value` on within 64 bits."""
        room = _HIGHEST - self.next_value if self.step > 0 else self.next_value - _LOWEST
        return max(0, room // abs(self.step) + 1)

    def covering(self, value: int | None) -> Identity:
        """This identity once `value` is used: the mark goes to the next of its own numbers, never backwards."""
        if value is None or (self.start - value) * self.step > 0:
            return self
        # Rounded away from the start: another writer may have put a number between two of ours.
        steps = -((self.start - value) // self.step)
        mark = self.start + steps * self.step
        if self.high_water_mark is not None and (mark - self.high_water_mark) * self.step <= 0:
            return self
        return replace(self, high_water_mark=mark)

    @property
    def in_range(self) -> bool:
        """Whether the mark has 64 bits, as the log needs it."""
        return self.high_water_mark is None or _LOWEST <= self.high_water_mark <= _HIGHEST

    def metadata(self) -> dict[str, Any]:
        """The entries of the column's metadata."""
        entries: dict[str, Any] = {START: self.start, STEP: self.step, ALLOW_EXPLICIT: self.allow_explicit}
        return entries if self.high_water_mark is None else {**entries, HIGH_WATER_MARK: self.high_water_mark}


def identity_of(field: StructField) -> Identity | None:
    """The identity of a column; None for a column that is none."""
    metadata = field.metadata
    if START not in metadata:
        return None
    mark = metadata.get(HIGH_WATER_MARK)
    return Identity(
        int(metadata[START]),
        int(metadata[STEP]),
        bool(metadata.get(ALLOW_EXPLICIT, False)),
        None if mark is None else int(mark),
    )


def identities(schema: StructType) -> dict[str, Identity]:
    """The identity columns of a table by name."""
    return {field.name: identity for field in schema if (identity := identity_of(field)) is not None}


def with_identities(schema: StructType, changed: Mapping[str, Identity]) -> StructType:
    """`schema` with the identities of some columns as they are in `changed`."""
    return StructType(
        tuple(
            replace(field, metadata={**field.metadata, **changed[field.name].metadata()})
            if field.name in changed
            else field
            for field in schema
        )
    )
