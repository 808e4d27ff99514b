"""Actions of a file rewrite (UPDATE, DELETE, MERGE) compiled to expressions for in-process evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa, pc
from deltasql.engines.local.checks import row_checks
from deltasql.engines.local.pairs import equalities
from deltasql.engines.local.plain_scans import ScanFilter
from deltasql.engines.local.values import BoundRows, rows_of, true_mask, values
from deltasql.files.reading.file_reader import are_among
from deltasql.files.thresholds import CHANGED_ROWS
from deltasql.plan.operators import Rewrite, RowAction, RowEffect, RowKind
from deltasql.schema.types import StructType
from deltasql.sql.constants import current_micros
from deltasql.sql.evaluated.expressions import (
    Compared,
    RowExpression,
    RowScope,
    columns_of,
    row_condition,
    row_expression,
    value_of,
)


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """An action compiled for in-process evaluation; `number` counts from 1."""

    number: int
    action: RowAction
    condition: RowExpression | None
    values: tuple[RowExpression, ...]


class CompiledActions:
    """The actions of a rewrite, compiled against the columns of its source.

    Raises LeftToEngineError for an expression whose result may differ from the engine's.
    """

    def __init__(self, operator: Rewrite, source: StructType | None) -> None:
        join, self._alias = operator.join, operator.target_alias
        ours = {self._alias: operator.target.schema}
        theirs = {} if source is None or join is None else {join.alias: source}
        both = {**ours, **theirs}
        if len(both) < len(ours) + len(theirs):
            raise LeftToEngineError("target and source have one alias")
        now = current_micros()
        self._theirs = RowScope(theirs, now)
        self.on = None if join is None else row_condition(join.on, RowScope(both, now))
        scopes = {
            RowKind.MATCHED: RowScope(both, now),
            RowKind.NOT_MATCHED: self._theirs,
            RowKind.NOT_MATCHED_BY_SOURCE: RowScope(ours, now),
        }
        self.actions = [
            _compiled(number, action, scopes[action.kind], operator.output)
            for number, action in enumerate(operator.actions, start=1)
        ]
        self.checks = row_checks(operator.checks, operator.output)

    def source_values(self, text: str, source: pa.Table) -> pa.Array | pa.ChunkedArray:
        """The values of an expression over rows of the source.

        Raises LeftToEngineError where they may differ from the engine's.
        """
        ((alias, _),) = self._theirs.schemas.items()
        return values(row_expression(text, self._theirs), rows_of(alias, source))

    @property
    def checked(self) -> frozenset[str]:
        """Names of the columns that constraints refer to."""
        return frozenset(column.name for check in self.checks for column in columns_of(check.condition))

    def used(self, output: Iterable[int]) -> frozenset[str]:
        """Names of the target columns that the conditions use, and that the updated values of the output columns with
        these indexes are computed from."""
        indexes = list(output)
        conditions = [self.on, *(action.condition for action in self.actions)]
        updates = [action.values for action in self.actions if action.action.effect is RowEffect.UPDATE]
        expressions = [*conditions, *(values[index] for values in updates for index in indexes)]
        return frozenset(self._named(item for item in expressions if item is not None))

    def row_filter(self, source: pa.Table | None) -> ScanFilter:
        """A filter for the target rows that an action may change, except actions for rows without a source row.

        Raises LeftToEngineError where any row may change.
        """
        return self._with_condition() if source is None else self._with_keys(source)

    def _with_condition(self) -> ScanFilter:
        conditions = [action.condition for action in self.actions]
        parsed = [condition for condition in conditions if condition is not None]
        if len(parsed) < len(conditions):
            raise LeftToEngineError("all rows may change: there is no condition")

        def some(rows: pa.Table, count: int) -> np.ndarray:
            bound = BoundRows({self._alias: rows}, count)
            return reduce(np.logical_or, (true_mask(condition, bound) for condition in parsed))

        return ScanFilter(frozenset(self._named(parsed)), some, CHANGED_ROWS)

    def _with_keys(self, source: pa.Table) -> ScanFilter:
        """A filter for the target rows whose join keys occur in the source."""
        ((theirs, _),) = self._theirs.schemas.items()
        keys = [] if self.on is None else [sides for item in equalities(self.on) for sides in self._sides(item)]
        if not keys:
            raise LeftToEngineError("ON has no equality between the target and the source")
        source_values = [pc.unique(values(other, rows_of(theirs, source))).drop_null() for _, other in keys]

        def met(rows: pa.Table, count: int) -> np.ndarray:
            bound, mask = BoundRows({self._alias: rows}, count), np.full(count, True)
            for (mine, _), keys_of_source in zip(keys, source_values, strict=True):
                # To look in values takes as long as their number, however few the rows are.
                if len(keys_of_source) <= count:
                    mask &= are_among(values(mine, bound), keys_of_source)
            return mask

        return ScanFilter(frozenset(self._named(mine for mine, _ in keys)), met, CHANGED_ROWS)

    def _sides(self, equality: Compared) -> Iterator[tuple[RowExpression, RowExpression]]:
        """The target's side of an equality and the source's, if each side uses columns of one table only."""
        for mine, other in ((equality.left, equality.right), (equality.right, equality.left)):
            if _aliases(mine) == {self._alias} and _aliases(other) == self._theirs.schemas.keys():
                yield mine, other

    def _named(self, expressions: Iterable[RowExpression]) -> Iterator[str]:
        """Names of the target columns that expressions use."""
        return (column.name for item in expressions for column in columns_of(item) if column.alias == self._alias)


def _aliases(expression: RowExpression) -> set[str]:
    return {column.alias for column in columns_of(expression)}


def _compiled(number: int, action: RowAction, scope: RowScope, output: StructType) -> CompiledAction:
    condition = None if action.condition is None else row_condition(action.condition, scope)
    pairs = zip(action.values, output, strict=bool(action.values))
    return CompiledAction(number, action, condition, tuple(value_of(text, field.type, scope) for text, field in pairs))
