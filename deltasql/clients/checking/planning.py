"""A session that plans statements and computes no rows: what plans change is changed in a scratch warehouse alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.actions.actions import Metadata
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Operator, SqlQuery
from deltasql.planner.catalog_changes import (
    CatalogChange,
    CatalogCreation,
    FunctionChange,
    Registration,
    SchemaCreation,
    ViewChange,
)
from deltasql.planner.changes import (
    AtomicBlock,
    CloneChange,
    Plan,
    RowChange,
    SettingChange,
    Stepwise,
    TableChange,
)
from deltasql.planner.door import StatementEngine
from deltasql.schema.types import StructType, matching
from deltasql.session.execution.pending import Placing, unstarted_engine
from deltasql.session.execution.run import Run
from deltasql.session.session import Session
from deltasql.sql.parameter_nodes import BoundStatement
from deltasql.sql.parser import parse
from deltasql.sql.parser.identifiers import bind_identifiers
from deltasql.sql.parser.parameters import bind_parameters
from deltasql.sql.queries.query_columns import derived_columns
from deltasql.sql.queries.relations import table_references
from deltasql.sql.tokens import tokenize
from deltasql.statements.nodes.table import CreateTable
from deltasql.statements.rules import plan_statement


class EngineNeededError(Exception):
    """A statement whose check would have to ask an engine, which none was chosen for."""


class _NoEngine:
    """Answers for an engine what can be said without one."""

    started = False
    is_plain = True

    def __init__(self, stores: Stores) -> None:
        self._asleep = unstarted_engine(stores, self._refuse)

    @staticmethod
    def _refuse() -> StatementEngine:
        raise EngineNeededError

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asleep, name)

    def schema(self, operator: Operator) -> StructType:
        """The columns of plain queries. Raises EngineNeededError for others."""
        derived = derived_columns(_without_alias(operator.sql), operator) if isinstance(operator, SqlQuery) else None
        if derived is None:
            raise EngineNeededError
        return derived


def _without_alias(sql: str) -> str:
    """A query of one table without the alias that binding has given it."""
    references = table_references(sql)
    if len(references) != 1 or references[0].alias is None:
        return sql
    tokens = [token for token in tokenize(sql) if token.start >= references[0].end]
    named = tokens[:1] if tokens[0].key != "AS" else tokens[:2]
    return sql[: references[0].end] + sql[named[-1].end :]


class PlanningSession(Session):
    """A session over a scratch warehouse. Without an `engine` no engine starts: see EngineNeededError."""

    def __init__(self, scratch: str, engine: str | None) -> None:
        super().__init__(scratch, engine=engine)
        self._asks = engine is not None

    def _runtime(self, sql: str) -> StatementEngine:
        return super()._runtime(sql) if self._asks else cast(StatementEngine, _NoEngine(self.stores))

    def bound(self, sql: str) -> BoundStatement:
        """A statement with the names that its IDENTIFIER(…) stand for. Raises EngineNeededError, and its errors."""
        bound = bind_parameters(sql, None)
        with Placing(bound, sql)():
            return bind_identifiers(bound, lambda text: self._runtime(text).value(text))

    def check(self, sql: str) -> None:
        """Plans a statement and makes its changes of names, columns and settings.

        Raises the errors of `sql`, and EngineNeededError.
        """
        bound = self.bound(sql)
        placed = Placing(bound, sql)
        with self._statement(), placed():
            engine = self._runtime(sql)
            placed.case_sensitive = False
            with matching(case_sensitive=False):
                self._take(self._planned(bound, engine), engine)

    def create_empty(self, definition: str) -> None:
        """Creates a table as CREATE TABLE defines it, but in the scratch warehouse, wherever its location is."""
        statement = parse(definition)
        assert isinstance(statement, CreateTable)
        engine = self._runtime(definition)
        with self._statement():
            context = self._context(definition, engine)
            self._take(plan_statement(replace(statement, location=None), context), engine)

    def _take(self, plan: Plan, engine: StatementEngine) -> None:
        """The effects of a plan on names, columns and settings, without those on rows and files."""
        match plan:
            case Stepwise(steps=steps):
                for step in steps:
                    self._take(step, engine)
            case AtomicBlock(sql=sql, statements=statements):
                for part in statements:
                    self._take_part(part.bound, part.start, sql)
            case RowChange(commit=commit):
                if any(isinstance(action, Metadata) for action in commit.actions):
                    self._take(TableChange(commit), engine)
            case CloneChange(commit=commit):
                self._take(TableChange(commit), engine)
            case TableChange():
                if not self._is_scratch(plan.commit.log.location):
                    raise EngineNeededError
                self._run(replace(plan, verify=()), engine)
            case _:
                self._take_names(plan, engine)

    def _take_names(self, plan: Plan, engine: StatementEngine) -> None:
        """The effects of a plan on the catalog and the session."""
        match plan:
            case SchemaCreation() | CatalogCreation():
                self._run(replace(plan, location=None), engine)
            case Registration(location=location) if not self._is_scratch(location):
                raise EngineNeededError
            case CatalogChange() | ViewChange() | FunctionChange() | SettingChange():
                self._run(plan, engine)
            case _:
                pass

    def _take_part(self, bound: BoundStatement, start: int, block: str) -> None:
        try:
            self.check(bound.sql)
        except DeltaSqlError as error:
            raise error.moved(bound.sql, block, start) from None

    def _run(self, plan: Plan, engine: StatementEngine) -> None:
        Run(plan, engine, self._state()).commit()

    def _is_scratch(self, location: str) -> bool:
        return location.removeprefix("file://").startswith(self.catalog.warehouse.removeprefix("file://"))
