"""A lab for planner rules: a real catalog and real logs in a directory, and answers of Spark's that tests dictate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import deltasql.statements  # noqa: F401 - registers the rules
from deltasql.base.session_settings import SessionSettings
from deltasql.catalog import Catalog
from deltasql.engines.engine import InProcessFirst
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.log.storage.stores import Stores
from deltasql.plan.base import EVALUATED, ComputedBy, Way
from deltasql.plan.operators import Check, Operator, Project, Scan, SqlQuery, Supplied, children
from deltasql.planner.catalog_changes import (
    CatalogChange,
    FunctionChange,
    TemporaryFunction,
    View,
    ViewChange,
)
from deltasql.planner.changes import Plan, SettingChange, TableChange
from deltasql.planner.context import Context, VisibleViews, plan
from deltasql.schema.types import DataType, StructField, StructType
from deltasql.session.execution.commit import StagedTable
from deltasql.session.execution.run import change_catalog, change_functions, change_views
from deltasql.sql.parser import parse
from deltasql.sql.queries.query_facts import derived_columns


def columns(text: str) -> StructType:
    """The columns of a list as CREATE TABLE has it: `a INT, s STRUCT<x: INT>`."""
    node: Any = parse(f"CREATE TABLE t ({text})")
    return StructType(tuple(StructField(item.name, item.type) for item in node.columns))


@dataclass
class FakeAnalyst:
    """Answers in Spark's place. `rows` has the columns of each query by its text as the user wrote it.

    A query that reads one of our tables whole has that table's columns; `asked` are the expressions whose type or value
    a rule wanted to know.
    """

    rows: dict[str, StructType] = field(default_factory=dict)
    kinds: dict[str, DataType] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    names: set[tuple[str, ...]] = field(default_factory=set)
    view_names: set[tuple[str, ...]] = field(default_factory=set)
    function_names: set[tuple[str, ...]] = field(default_factory=set)
    started: bool = False
    is_plain: bool = False
    makes_functions: bool = True
    asked: list[str] = field(default_factory=list)
    stores: Stores = field(default_factory=Stores)

    def knows(self, parts: Sequence[str]) -> bool:
        return tuple(parts) in self.names

    def knows_view(self, parts: Sequence[str]) -> bool:
        return tuple(parts) in self.view_names

    def knows_function(self, parts: Sequence[str]) -> bool:
        return tuple(parts) in self.function_names

    def functions(self, kind: str) -> list[str]:
        return [parts[-1] for parts in self.function_names]

    def temporary_views(self) -> list[str]:
        return [parts[0] for parts in self.view_names]

    def schema(self, operator: Operator) -> StructType:
        assert isinstance(operator, SqlQuery)
        for text, schema in self.rows.items():
            if text in operator.sql:
                return schema
        views = [child.view for child in children(operator) if isinstance(child, SqlQuery) and child.view is not None]
        if operator.sql == "SELECT 1 AS one":
            return StructType()
        if len(views) == 1:
            return views[0].schema
        scans = list(scans_of(operator))
        known = derived_columns(operator.sql, operator) if not scans else scans[0].schema
        assert known is not None, f"say in analyst.rows what {operator.sql!r} gives"
        assert len(scans) <= 1, f"say in analyst.rows what {operator.sql!r} gives"
        return known

    def types(
        self,
        scope: Sequence[tuple[Operator, str]],
        expressions: Sequence[str],
        relations: Mapping[str, Operator] | None = None,
    ) -> list[DataType]:
        self.asked += expressions
        return [self.kinds[text] for text in expressions]

    def spark_plan(self, operator: Operator, mode: str) -> str:
        return f"Spark's, {mode}\n"

    def setting(self, key: str) -> str | None:
        return self.settings.get(key)

    def value(self, expression: str, relations: Mapping[str, Operator] | None = None) -> Any:
        for name in relations or ():
            expression = expression.replace(name, "rows")
        self.asked.append(expression)
        return self.values[expression]

    def way(self, operator: Operator) -> Way:
        return Way(ComputedBy.PROCESS, EVALUATED)

    def mover(self, operator: Operator, location: str) -> str | None:
        return None

    def reads_below(self, rows: Supplied, location: str) -> bool:
        return False

    def forget_view(self, parts: Sequence[str]) -> None:
        self.view_names.discard(tuple(parts))

    def forget_function(self, name: str) -> None:
        self.function_names.discard((name,))


def scans_of(operator: Operator) -> Iterator[Scan]:
    """The scans at or below an operator."""
    if isinstance(operator, Scan):
        yield operator
    for child in children(operator):
        yield from scans_of(child)


def project_of(operator: Operator) -> dict[str, str]:
    """SQL by column of the projection below checks and writes."""
    while not isinstance(operator, Project):
        (operator,) = children(operator)
    return dict(operator.columns)


def checks_of(operator: Operator) -> list[str]:
    """Conditions of the checks on the way down to the first projection."""
    found: list[str] = []
    while not isinstance(operator, Project):
        if isinstance(operator, Check):
            found += [item.condition for item in operator.conditions]
        (operator,) = children(operator)
    return found


class Lab:
    """Plans statements, and runs those that need no rows. Spark's answers come from `analyst`."""

    def __init__(self, warehouse: Path) -> None:
        self.warehouse = warehouse
        self.catalog = Catalog(str(warehouse))
        self.settings = SessionSettings()
        self.analyst = FakeAnalyst()
        self.views: dict[str, View] = {}
        self.functions: dict[str, TemporaryFunction] = {}
        self._logs: dict[str, DeltaLog] = {}
        self._numbers = count(1)

    def context(self, sql: str = "") -> Context:
        views, named = VisibleViews(self.views), self.functions
        return Context(sql, self.catalog, self.settings, self.analyst, views, self._log, functions=named)

    def plan(self, sql: str) -> Plan:
        return plan(parse(sql), self.context(sql))

    def run(self, *statements: str) -> None:
        """Plans statements and does what they come to; none may need rows."""
        for sql in statements:
            change = self.plan(sql)
            if isinstance(change, TableChange):
                StagedTable(change, InProcessFirst(SparkHandle(None), ""), self.catalog, self.settings).commit()
            elif isinstance(change, CatalogChange):
                change_catalog(change, self.catalog, Stores())
                self._logs.clear()
            elif isinstance(change, ViewChange):
                change_views(change, self.views)
            elif isinstance(change, FunctionChange):
                change_functions(change, self.functions)
            elif isinstance(change, SettingChange):
                assert change.key is not None
                assert change.value is not None
                self.settings.set(change.key, change.value)

    def snapshot(self, table: str) -> Snapshot:
        return self._at(table).snapshot()

    def append(self, table: str, *partitions: Mapping[str, str | None], stats: str | None = None) -> list[str]:
        """Commits one file of two rows for each tuple of partition values; the paths of the files."""
        log = self._at(table)
        text = '{"numRecords":2}' if stats is None else stats
        adds: list[Action] = [
            AddFile(f"f{next(self._numbers)}.parquet", dict(values), 10, 1, True, text or None)
            for values in partitions or ({},)
        ]
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, adds)
        return [add.path for add in adds if isinstance(add, AddFile)]

    def _at(self, table: str) -> DeltaLog:
        return self._log(self.catalog.require(tuple(table.split("."))).location, table)

    def _log(self, location: str, name: str) -> DeltaLog:
        return self._logs.setdefault(location, DeltaLog(location, name))
