"""Errors of transactions: statements that cannot be part of one, and unbalanced beginnings and ends."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "TRANSACTION_NOT_SUPPORTED.COMMAND",
    "0A000",
    "{operation} cannot be part of a transaction: {reason} {advice}",
    remedy="Commit first, and run the statement alone.",
)
class NotInTransactionError(DeltaSqlError):
    """A statement that does not compose with others into one commit. `reason` is a sentence."""

    operation: str
    reason: str
    advice: str = "Run it before BEGIN, or after COMMIT."


@condition(
    "TRANSACTION_NOT_SUPPORTED.NESTED_TRANSACTION",
    "0A000",
    "A transaction is open already, and transactions are not nested. End it first, by COMMIT or ROLLBACK.",
)
class NestedTransactionError(DeltaSqlError):
    """BEGIN TRANSACTION or BEGIN ATOMIC inside of a transaction."""


@condition(
    "TRANSACTION_NOT_SUPPORTED.SECOND_TABLE",
    "0A000",
    "This transaction has written {first}: it cannot write {second} as well. Several tables are committed together "
    "where the catalog manages all of them, and it does not manage {plain}. To change that, run: {advice}",
    remedy="Let the catalog manage the table, or use a transaction for each table.",
)
class SecondTableError(DeltaSqlError):
    """A statement that would write another table, where one of them is `plain`. The transaction stays as it was."""

    first: str
    second: str
    plain: Collection[str]
    advice: str


@condition(
    "TRANSACTION_NOT_SUPPORTED.SEPARATE_CATALOG",
    "0A000",
    "This transaction has written {first}: it cannot write {second} as well. The catalog {catalog} of {tables} has no "
    "commit of several tables, so that a failure could leave one of them changed and the other one not. Write {second} "
    "in another transaction, or have both tables in catalogs of the warehouse, which can commit them together.",
    remedy="Write one table of such a catalog in each transaction; it may read other tables.",
)
class SeparateCatalogError(DeltaSqlError):
    """A statement that would write another table, where `tables` are of an external catalog. The transaction stays as
    it was.
    """

    first: str
    second: str
    catalog: str
    tables: Collection[str]


@condition(
    "TRANSACTION_NOT_SUPPORTED.CHANGE_DATA_FEED",
    "0A000",
    "{operation} cannot be in one transaction with what came before it, since {table} has a change data feed: "
    "{reason} Run it in a separate transaction.",
    remedy="Run the statement in a separate transaction.",
)
class FeedInTransactionError(DeltaSqlError):
    """A statement whose change rows, with those before it, would not be the changes from version to version."""

    operation: str
    table: str
    reason: str


@condition(
    "TRANSACTION_NOT_SUPPORTED.STALE_STATEMENT",
    "0A000",
    "The statement was begun before other statements of its transaction were done. Begin it anew.",
)
class StaleStatementError(DeltaSqlError):
    """Another statement of the transaction ran between `begin` and `commit` of this one."""


@condition(
    "TRANSACTION_NOT_SUPPORTED.IN_ATOMIC_BLOCK",
    "0A000",
    "{operation} cannot stand in BEGIN ATOMIC … END, which ends at its END: there it is committed, and any error "
    "undoes it. Write BEGIN TRANSACTION to decide by hand.",
)
class ControlInBlockError(DeltaSqlError):
    """BEGIN TRANSACTION, COMMIT or ROLLBACK in a block that is a transaction."""

    operation: str


@condition(
    "NO_ACTIVE_TRANSACTION",
    "25000",
    "There is no transaction to {verb}. BEGIN TRANSACTION begins one; outside of one each statement is a commit.",
    remedy="Start with BEGIN TRANSACTION.",
)
class NoTransactionError(DeltaSqlError):
    """COMMIT or ROLLBACK without BEGIN."""

    verb: str


@condition(
    "TRANSACTION_NOT_SUPPORTED.EMPTY_BLOCK", "0A000", "BEGIN ATOMIC … END holds no statement. Write at least one."
)
class EmptyBlockError(DeltaSqlError):
    """A block without statements: BEGIN ATOMIC END."""
