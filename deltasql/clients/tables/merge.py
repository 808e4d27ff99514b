"""MERGE by calls: `table.merge(source, condition).whenMatchedUpdateAll().execute()`.

PySpark's `df.mergeInto(table, condition)` by the clauses of `DeltaMergeBuilder`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from deltasql.base.errors.usage import ArgumentValueError
from deltasql.clients.tables.arguments import assignments, exact_name, expression
from deltasql.clients.tables.runner import StatementRunner
from deltasql.session.frames.columns.columns import origins
from deltasql.session.frames.columns.texts import Owner

_CONDITION = "'condition'"
FOREIGN = "a DataFrame that is neither the source nor the target"
Clause = Callable[[Owner], str]
"""The SQL of a clause, once it is known which alias bound columns have."""


@dataclass(frozen=True)
class MergeTarget:
    """The table of a MERGE: its name in SQL, the alias, the qualifier of its columns, and DataFrames of its rows."""

    name: str
    alias: str | None
    qualifier: str
    frames: tuple[Any, ...] = ()


@dataclass(frozen=True)
class DeltaMergeBuilder:
    """The clauses of a MERGE so far. Each method returns another builder; `execute` runs the statement.

    Conditions and values are Columns or texts. A clause without a condition applies to every row of its kind that no
    clause before it applies to.
    """

    _runner: StatementRunner
    _target: MergeTarget
    _source: Any
    _condition: Any
    _clauses: tuple[Clause, ...] = ()
    _evolves: bool = False

    def whenMatchedUpdate(self, condition: Any = None, set: Any = None) -> DeltaMergeBuilder:
        return self._update("WHEN MATCHED", condition, set, "'set' in whenMatchedUpdate")

    def whenMatchedUpdateAll(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN MATCHED", condition, "UPDATE SET *")

    def whenMatchedDelete(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN MATCHED", condition, "DELETE")

    def whenNotMatchedInsert(self, condition: Any = None, values: Any = None) -> DeltaMergeBuilder:
        def action(owner: Owner) -> str:
            pairs = assignments(values, argument, owner)
            columns, inserted = (", ".join(part) for part in zip(*pairs, strict=True))
            return f"INSERT ({columns}) VALUES ({inserted})"

        argument = "'values' in whenNotMatchedInsert"
        assignments(values, argument, _anywhere)
        return self._with("WHEN NOT MATCHED", condition, action)

    def whenNotMatchedInsertAll(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN NOT MATCHED", condition, "INSERT *")

    def whenNotMatchedBySourceUpdate(self, condition: Any = None, set: Any = None) -> DeltaMergeBuilder:
        return self._update("WHEN NOT MATCHED BY SOURCE", condition, set, "'set' in whenNotMatchedBySourceUpdate")

    def whenNotMatchedBySourceDelete(self, condition: Any = None) -> DeltaMergeBuilder:
        return self._with("WHEN NOT MATCHED BY SOURCE", condition, "DELETE")

    def withSchemaEvolution(self) -> DeltaMergeBuilder:
        """New columns of the source that UPDATE SET * and INSERT * name are added to the table."""
        return replace(self, _evolves=True)

    def execute(self) -> Any:
        """Runs the MERGE; one row with the numbers of affected, updated, deleted and inserted rows."""
        with self._runner.supplied(self._source) as (name, alias):
            owner = _Owner(self._target, self._source, alias or name)
            condition = expression(self._condition, _CONDITION, owner)
            evolution = " WITH SCHEMA EVOLUTION" if self._evolves else ""
            parts = [
                f"MERGE{evolution} INTO {self._target.name}{_as(self._target.alias)}",
                f"USING {exact_name((name,))}{_as(alias)}",
                f"ON {condition}",
                *(clause(owner) for clause in self._clauses),
            ]
            result = self._runner.run("\n".join(parts))
        return self._runner.handed(result)

    def _update(self, kind: str, condition: Any, values: Any, argument: str) -> DeltaMergeBuilder:
        def action(owner: Owner) -> str:
            pairs = assignments(values, argument, owner)
            return f"UPDATE SET {', '.join(f'{column} = {value}' for column, value in pairs)}"

        # What is wrong with the arguments is said at the call, and not by `execute`.
        assignments(values, argument, _anywhere)
        return self._with(kind, condition, action)

    def _with(self, kind: str, condition: Any, action: str | Clause) -> DeltaMergeBuilder:
        if condition is not None:
            with self._runner.working():
                expression(condition, _CONDITION, _anywhere)

        def clause(owner: Owner) -> str:
            tested = "" if condition is None else f" AND {expression(condition, _CONDITION, owner)}"
            return f"{kind}{tested} THEN {action if isinstance(action, str) else action(owner)}"

        return replace(self, _clauses=(*self._clauses, clause))


class _Owner:
    """The aliases of columns that are bound to the source of a MERGE, or to a DataFrame of its target."""

    def __init__(self, target: MergeTarget, source: Any, alias: str) -> None:
        self._target, self._source, self._alias = target, source, alias

    def __call__(self, origin: int) -> str:
        of_source = hasattr(self._source, "sparkSession") and origin in origins(self._source)
        of_target = any(origin in origins(frame) for frame in self._target.frames)
        if of_source == of_target:
            raise LookupError("both the source and the target" if of_source else FOREIGN)
        return self._alias if of_source else self._target.qualifier


def _anywhere(_: int) -> None:
    return None


def _as(alias: str | None) -> str:
    return "" if alias is None else f" AS {exact_name((alias,))}"


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
