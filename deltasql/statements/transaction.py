"""BEGIN, COMMIT and ROLLBACK, and BEGIN ATOMIC … END: transactions of several statements.

The statements of BEGIN ATOMIC stay text. They are parsed and planned one after another, each when those before it are
done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deltasql.base import Caret, DeltaSqlError, errors
from deltasql.plan import LogicalPlan, SqlText
from deltasql.planner import AtomicBlock, BlockStatement, Context, Plan, Step, TransactionStep, plan
from deltasql.sql import Tree, builds, parse, split, sql_text


@dataclass(frozen=True, slots=True)
class BeginAtomic(LogicalPlan):
    """BEGIN ATOMIC statement; … END"""

    statements: tuple[SqlText, ...]


@dataclass(frozen=True, slots=True)
class BeginTransaction(LogicalPlan):
    """{BEGIN | START} TRANSACTION"""


@dataclass(frozen=True, slots=True)
class CommitTransaction(LogicalPlan):
    """COMMIT [TRANSACTION | WORK]"""


@dataclass(frozen=True, slots=True)
class RollbackTransaction(LogicalPlan):
    """ROLLBACK [TRANSACTION | WORK]"""


@builds("begin_atomic")
def _begin_atomic(children: list[Any], tree: Tree, text: str) -> BeginAtomic:
    (block,) = tree.children
    # What looks like a later END stands in a comment.
    end = max(token.start for token in sql_text(block, text).tokens if token.key == "END")
    inside = text[block.start : block.start + end]
    return BeginAtomic(tuple(SqlText(item.text, block.start + item.start) for item in split(inside)))


_CONTROLS = (BeginTransaction, CommitTransaction, RollbackTransaction)


@plan.register
def plan_begin_atomic(statement: BeginAtomic, context: Context) -> Plan:
    """The syntax of all statements is checked before the first one runs."""
    caret = _first_words(SqlText(context.sql, 0), 2)
    if not statement.statements:
        raise errors.EmptyBlockError().at(caret)
    for text in statement.statements:
        _check(text, context)
    bound = tuple(BlockStatement(context.bound.within(text), text.start) for text in statement.statements)
    return AtomicBlock(context.sql, caret, bound)


@plan.register
def plan_begin_transaction(statement: BeginTransaction, context: Context) -> Plan:
    return TransactionStep(Step.BEGIN, _first_words(SqlText(context.sql, 0)))


@plan.register
def plan_commit_transaction(statement: CommitTransaction, context: Context) -> Plan:
    return TransactionStep(Step.COMMIT, _first_words(SqlText(context.sql, 0)))


@plan.register
def plan_rollback_transaction(statement: RollbackTransaction, context: Context) -> Plan:
    return TransactionStep(Step.ROLLBACK, _first_words(SqlText(context.sql, 0)))


def _check(text: SqlText, context: Context) -> None:
    """Raises the errors of `parse`, ControlInBlockError and NestedTransactionError, placed in the block."""
    first = _first_words(text)
    try:
        node = parse(text.text)
        if isinstance(node, BeginAtomic):
            raise errors.NestedTransactionError().at(first)
        if isinstance(node, _CONTROLS):
            raise errors.ControlInBlockError(operation=" ".join(item.key for item in text.tokens)).at(first)
    except DeltaSqlError as error:
        raise error.moved(text.text, context.sql, text.start) from None


def _first_words(written: SqlText, number: int = 1) -> Caret:
    """The place of the words that say what a statement is."""
    tokens = written.tokens[:number]
    return Caret(written.text, tokens[0].start, tokens[-1].end)
