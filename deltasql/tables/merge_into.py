"""PySpark's `df.mergeInto(table, condition)` by the clauses of `DeltaMergeBuilder`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltasql.errors.usage import ArgumentValueError
from deltasql.tables.merge import DeltaMergeBuilder


class MergeIntoWriter:
    """The MERGE of a DataFrame into a table; `merge` runs it."""

    def __init__(self, builder: DeltaMergeBuilder) -> None:
        self._builder = builder

    def whenMatched(self, condition: Any = None) -> WhenMatched:
        return WhenMatched(self, condition)

    def whenNotMatched(self, condition: Any = None) -> WhenNotMatched:
        return WhenNotMatched(self, condition)

    def whenNotMatchedBySource(self, condition: Any = None) -> WhenNotMatchedBySource:
        return WhenNotMatchedBySource(self, condition)

    def withSchemaEvolution(self) -> MergeIntoWriter:
        return self.having(self._builder.withSchemaEvolution())

    def merge(self) -> None:
        self._builder.execute()

    @property
    def builder(self) -> DeltaMergeBuilder:
        """The clauses so far."""
        return self._builder

    def having(self, builder: DeltaMergeBuilder) -> MergeIntoWriter:
        """This writer with other clauses."""
        self._builder = builder
        return self


class _When:
    def __init__(self, writer: MergeIntoWriter, condition: Any) -> None:
        self._writer, self._condition = writer, condition


class WhenMatched(_When):
    """The action on rows of the target that a row of the source matches."""

    def updateAll(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedUpdateAll(self._condition))

    def update(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedUpdate(self._condition, assignments))

    def delete(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenMatchedDelete(self._condition))


class WhenNotMatched(_When):
    """The action on rows of the source that match no row of the target."""

    def insertAll(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedInsertAll(self._condition))

    def insert(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedInsert(self._condition, assignments))


class WhenNotMatchedBySource(_When):
    """The action on rows of the target that no row of the source matches."""

    def updateAll(self) -> MergeIntoWriter:
        """Always raises ArgumentValueError: no row of the source gives values."""
        raise ArgumentValueError("updateAll()", "used after whenNotMatchedBySource", "give the values: update({…})")

    def update(self, assignments: Mapping[str, Any]) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedBySourceUpdate(self._condition, assignments))

    def delete(self) -> MergeIntoWriter:
        return self._writer.having(self._writer.builder.whenNotMatchedBySourceDelete(self._condition))
