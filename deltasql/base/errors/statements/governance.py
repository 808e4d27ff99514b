"""Errors of statements about privileges, owners, row filters, column masks and securables."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{operation} is not supported: deltasql enforces no privileges. Leave it out; SET deltasql.governance = WARN "
    "ignores such statements, and RECORD stores them in the catalog.",
)
class GovernanceRefusedError(DeltaSqlError):
    """A statement or clause about privileges, owners, filters, masks or securables, under the setting ERROR."""

    operation: str


@condition(
    "SECURABLE_NOT_FOUND",
    "42704",
    "{securable} does not exist. {advice}",
    remedy="Check the name; SHOW lists the objects of a kind.",
)
class SecurableNotFoundError(DeltaSqlError):
    """A statement names a function, connection, credential, location, share, recipient, provider or group that does
    not exist."""

    securable: str
    advice: str


@condition(
    "SECURABLE_ALREADY_EXISTS",
    "42710",
    "{securable} exists already. Use another name, or IF NOT EXISTS.",
)
class SecurableExistsError(DeltaSqlError):
    """CREATE of a securable whose name is taken, or ALTER … RENAME TO such a name."""

    securable: str


@condition(
    "INVALID_PRIVILEGE",
    "42601",
    "{privilege} is no privilege on {kind}. {advice}",
    remedy="Use one of the privileges that the message lists.",
)
class InvalidPrivilegeError(DeltaSqlError):
    """GRANT, REVOKE or DENY of a privilege that does not exist, or not on this kind of object."""

    privilege: str
    kind: str
    advice: str


@condition(
    "UNSUPPORTED_SECURABLE",
    "0A000",
    "{securable} has no privileges, owner or policies in the catalog. {advice}",
    remedy="Name an object of the catalog.",
)
class UnsupportedSecurableError(DeltaSqlError):
    """A statement about the privileges of a path, a temporary view, a built-in view, a volume or a file."""

    securable: str
    advice: str


@condition(
    "INVALID_POLICY_FUNCTION",
    "42K09",
    "The function {function} cannot be a {policy} of {table}: {reason}. {advice}",
    remedy="Use a SQL function whose parameters are the columns, and which returns the type that is needed.",
)
class PolicyFunctionError(DeltaSqlError):
    """SET ROW FILTER or SET MASK with a function that has other parameters, or returns another type."""

    function: str
    policy: str
    table: str
    reason: str
    advice: str


@condition(
    "POLICY_DEPENDENT_COLUMN",
    "42P10",
    "Column {column} of {table} cannot be {change}: {policy} uses it. Run {drop} first.",
)
class PolicyColumnError(DeltaSqlError):
    """A column is renamed, dropped or retyped that a row filter or a column mask uses."""

    column: str
    table: str
    change: str
    policy: str
    drop: str


@condition(
    "POLICY_COLUMN_NOT_FOUND",
    "42703",
    "{table} has no column {column}, which one of its row filters or column masks needs, so that no row is shown. Run "
    "ALTER TABLE … DROP ROW FILTER, or DROP MASK.",
    remedy="Drop the row filter or mask and declare it again, or give the table the column again.",
)
class LostPolicyColumnError(DeltaSqlError):
    """A table has lost a column that a row filter or a mask uses, by RESTORE or by another engine, while the session
    applies them."""

    column: str
    table: str


@condition(
    "UNSUPPORTED_ON_POLICY_TABLE",
    "0A000",
    "{operation} is not supported for {table}, which has a row filter or column masks. {advice}",
    remedy="Drop the row filter and the masks, or SET deltasql.governance.filters = false.",
)
class PolicyTableError(DeltaSqlError):
    """A statement that cannot honour row filters and column masks, while the session enforces them."""

    operation: str
    table: str
    advice: str = "Drop the row filter and the masks, or SET deltasql.governance.filters = false."


@condition("SECURABLE_CLAUSE_INVALID", "42601", "{reason}", remedy="Correct the clause that the caret marks.")
class SecurableClauseError(DeltaSqlError):
    """A clause of CREATE or ALTER that a connection, credential, location, share, recipient or group does not have."""

    reason: str
