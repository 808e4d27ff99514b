"""Privileges, owners, row filters, column masks, and securables without data."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class Privilege:
    """A privilege by its words, in capitals, and its span in the statement."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SecurableName:
    """[kind] name: the kind in capitals, "" for a table or a view. The name is None for the current catalog, and for
    the metastore."""

    kind: str
    name: TableName | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PolicyArgument:
    """A column, or a constant, among the arguments of a row filter or of a mask; with its span in the statement."""

    text: str
    is_column: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RowFilterClause:
    """ROW FILTER f ON (column | constant, …)"""

    function: TableName
    arguments: tuple[PolicyArgument, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ColumnMask:
    """MASK f [USING COLUMNS (column | constant, …)]"""

    function: TableName
    arguments: tuple[PolicyArgument, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChangeGrants(LogicalPlan):
    """{GRANT | DENY} privileges ON securable TO principals, and REVOKE privileges ON securable FROM principals"""

    verb: str
    privileges: tuple[Privilege, ...]
    securable: SecurableName
    principals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShowGrants(LogicalPlan):
    """SHOW GRANTS [principal] [ON securable], and SHOW GRANTS TO RECIPIENT r"""

    principal: str | None
    securable: SecurableName | None
    recipient: TableName | None = None


@dataclass(frozen=True, slots=True)
class SetOwner(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG | FUNCTION | VOLUME} name [SET] OWNER TO principal"""

    securable: SecurableName
    principal: str


@dataclass(frozen=True, slots=True)
class SetRowFilter(LogicalPlan):
    """ALTER TABLE t {SET ROW FILTER f ON (…) | DROP ROW FILTER}"""

    table: TableName
    row_filter: RowFilterClause | None


@dataclass(frozen=True, slots=True)
class SetMask(LogicalPlan):
    """ALTER TABLE t ALTER COLUMN c {SET MASK f [USING COLUMNS (…)] | DROP MASK}"""

    table: TableName
    column: ColumnPath
    mask: ColumnMask | None


@dataclass(frozen=True, slots=True)
class CreateSecurable(LogicalPlan):
    """CREATE {CONNECTION | CREDENTIAL | EXTERNAL LOCATION | SHARE | RECIPIENT | PROVIDER | GROUP} [IF NOT EXISTS] name
    {clauses}"""

    kind: str
    if_not_exists: bool
    name: TableName
    comment: str | None
    facts: tuple[tuple[str, str], ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlterSecurable(LogicalPlan):
    """ALTER {CONNECTION | …} name {[SET] OWNER TO p | RENAME TO name | SET facts | ADD members | REMOVE members}

    A fact of None is removed.
    """

    kind: str
    name: TableName
    owner: str | None = None
    new_name: str | None = None
    comment: str | None = None
    facts: tuple[tuple[str, str | None], ...] = ()
    added: tuple[SecurableName, ...] = ()
    removed: tuple[SecurableName, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentOnSecurable(LogicalPlan):
    """COMMENT ON {CONNECTION | …} name IS {text | NULL}"""

    kind: str
    name: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class DropSecurable(LogicalPlan):
    """DROP {CONNECTION | …} [IF EXISTS] name [FORCE]"""

    kind: str
    if_exists: bool
    name: TableName


@dataclass(frozen=True, slots=True)
class DescribeSecurable(LogicalPlan):
    """DESCRIBE {CONNECTION | …} name"""

    kind: str
    name: TableName


@dataclass(frozen=True, slots=True)
class ShowSecurables(LogicalPlan):
    """SHOW {CONNECTIONS | …} [LIKE 'pattern'], and SHOW GROUPS [WITH {USER | GROUP} member]"""

    kind: str
    member: str | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowShare(LogicalPlan):
    """SHOW ALL IN SHARE s, and SHOW SHARES IN PROVIDER p"""

    kind: str
    name: TableName
