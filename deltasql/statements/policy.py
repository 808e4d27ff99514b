"""Policies on catalogs, schemas and tables: named row filters and column masks, which are recorded without effect.

A policy is for all tables of its object, of whose columns the condition in MATCH COLUMNS holds. Its name is unique
among those of the object. Records go with their object, and are renamed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from deltasql.base import Caret, LeftToEngineError, errors, meant, similar_names
from deltasql.catalog import CATALOG, SCHEMA, TABLE, Governance, Subject, checked
from deltasql.plan import LogicalPlan, SqlText, TableName
from deltasql.planner import Answer, Context, GovernanceChange, Plan, plan
from deltasql.schema import STRING, StructField, StructType
from deltasql.sql import Tree, builds
from deltasql.statements.describe import INFO
from deltasql.statements.governance import SecurableName, SecurableReader
from deltasql.statements.grants import (
    REFRESHED_KINDS,
    enclosing,
    governed,
    note_recorded,
    single_part,
    subject_of,
)


@dataclass(frozen=True, slots=True)
class CreatePolicy(LogicalPlan):
    """CREATE [OR REPLACE] POLICY name ON securable [COMMENT text] {ROW FILTER | COLUMN MASK} function TO principals
    [EXCEPT principals] FOR TABLES [WHEN condition] [MATCH COLUMNS condition [AS alias], …] [ON COLUMN alias]
    [USING COLUMNS (argument, …)]

    `facts` are the clauses by their names in DESCRIBE POLICY, in the order of that.
    """

    mode: str
    if_not_exists: bool
    name: TableName
    securable: SecurableName
    function: SecurableName
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DropPolicy(LogicalPlan):
    """DROP POLICY [IF EXISTS] name ON securable"""

    if_exists: bool
    name: TableName
    securable: SecurableName


@dataclass(frozen=True, slots=True)
class DescribePolicy(LogicalPlan):
    """DESCRIBE POLICY name ON securable"""

    reads_only: ClassVar[bool] = True

    name: TableName
    securable: SecurableName


@dataclass(frozen=True, slots=True)
class ShowPolicies(LogicalPlan):
    """SHOW [EFFECTIVE] POLICIES ON securable: `effective` are those on its schema and catalog too."""

    reads_only: ClassVar[bool] = True

    effective: bool
    securable: SecurableName


class _PolicyReader(SecurableReader):
    """Reads what stands behind CREATE POLICY name ON securable {ROW FILTER | COLUMN MASK}."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__("POLICY", written, text)
        self.policy_type = kind
        self.function: SecurableName | None = None
        self.facts = {"Policy Type": kind}

    def policy(self) -> None:
        self.function = self.table("FUNCTION")
        self.need("TO")
        self.facts["To Principals"] = ", ".join(self.listed(self.principal))
        if self.take("EXCEPT"):
            self.facts["Except Principals"] = ", ".join(self.listed(self.principal))
        self.words("FOR", "TABLES")
        self.facts["For Securable Type"] = TABLE
        if self.take("WHEN"):
            self.facts["When Condition"] = self.run("MATCH", "ON", "USING")
        if self.take("MATCH"):
            self.need("COLUMNS")
            self.facts["Match Columns"] = self.run("ON", "USING")
        if self.policy_type == "COLUMN_MASK":
            self.words("ON", "COLUMN")
            self.facts["On Column"] = self.name()
        if self.take("USING"):
            self.need("COLUMNS")
            group = self.group()
            if group[0].key != "(":
                self.at -= 1
                raise LeftToEngineError
            self.facts["Using Columns"] = self.between(group[0].end, group[-1].start)

    def run(self, *ends: str) -> str:
        """The text up to one of these words, or to the end. Raises LeftToEngineError for none."""
        start = self.at
        while self.left and self.key not in ends:
            self.group()
        if self.at == start:
            raise LeftToEngineError
        return self.between(self.tokens[start].start, self.tokens[self.at - 1].end)

    def between(self, start: int, end: int) -> str:
        return self.written.text[start:end].strip()


@builds("row_filter_kind", "column_mask_kind")
def _kind(children: list[Any], tree: Tree, text: str) -> str:
    return tree.name.removesuffix("_kind").upper()


@builds("create_policy")
def _create_policy(children: list[Any], tree: Tree, text: str) -> CreatePolicy:
    """Raises SecurableClauseError where the clauses are not those of a policy, and for a clause that is missing."""
    mode, if_not_exists, name, securable, comment, kind, rest = children
    reader = _PolicyReader(kind, rest, text)
    if comment is not None:
        reader.facts["Comment"] = comment
    try:
        reader.policy()
    except LeftToEngineError:
        if reader.left:
            reader.refuse()
        reason = (
            "The policy is not complete: ROW FILTER f TO principals FOR TABLES, or COLUMN MASK f … ON COLUMN alias."
        )
        raise errors.SecurableClauseError(reason).at(Caret(text, rest.end, rest.end)) from None
    if reader.left:
        reader.refuse()
    assert reader.function is not None
    return CreatePolicy(mode, if_not_exists, name, securable, reader.function, tuple(reader.facts.items()))


_COLUMNS = StructType(
    tuple(
        StructField(name, STRING, nullable=False)
        for name in ("Policy Name", "Policy Type", "Securable Type", "Securable", "Function Name")
    )
)
_EFFECT = "deltasql applies no policies; ALTER TABLE … SET ROW FILTER and SET MASK have an effect."
_LAST = ("Policy Type", "Function Name", "On Column", "Using Columns")
"""The facts that DESCRIBE POLICY has at the end, in this order."""
_KINDS = frozenset({CATALOG, SCHEMA, TABLE}) | REFRESHED_KINDS


def _object(securable: SecurableName, context: Context) -> Subject:
    """The object of a policy. Raises UnsupportedSecurableError for one that has none, and what `subject_of` raises."""
    subject, kind = subject_of(securable, context)
    if kind not in _KINDS:
        error = errors.UnsupportedSecurableError(str(subject), "A policy is on a catalog, a schema or a table.")
        raise error.at(context.caret(securable.start, securable.end))
    return subject


def _described(name: str, subject: Subject) -> str:
    return f"POLICY {name} ON {subject}"


def _policy(name: TableName, subject: Subject, context: Context) -> tuple[str, Mapping[str, str]]:
    """The name of a policy in lower case, and its facts. Raises SecurableNotFoundError, at the name."""
    key = single_part(name, context).lower()
    found = context.catalog.governance(subject).policies
    if key not in found:
        similar = meant(similar_names(key, found)) or f"SHOW POLICIES ON {subject} lists those that do."
        error = errors.SecurableNotFoundError(_described(str(name), subject), similar)
        raise error.at(context.caret(name.start, name.end))
    return key, found[key]


@plan.register
def plan_create_policy(statement: CreatePolicy, context: Context) -> Plan:
    """Records a policy; its function must exist. Raises SecurableExistsError for a name that is taken."""

    def record() -> Plan:
        subject = _object(statement.securable, context)
        name = checked(single_part(statement.name, context))
        function, _ = subject_of(statement.function, context)
        exists = name in context.catalog.governance(subject).policies
        if exists and statement.if_not_exists:
            return Answer()
        if exists and statement.mode == "create":
            error = errors.SecurableExistsError(_described(name, subject))
            raise error.at(context.caret(statement.name.start, statement.name.end))
        note_recorded("CREATE POLICY", _EFFECT)
        facts = {**dict(statement.facts), "Function Name": ".".join(function.parts)}
        return GovernanceChange(subject, lambda found: replace(found, policies={**found.policies, name: facts}))

    return governed("CREATE POLICY", _caret(statement.name, context), context, record)


@plan.register
def plan_drop_policy(statement: DropPolicy, context: Context) -> Plan:
    """Removes a policy. Raises SecurableNotFoundError without IF EXISTS."""

    def record() -> Plan:
        subject = _object(statement.securable, context)
        name = single_part(statement.name, context).lower()
        if not statement.if_exists:
            _policy(statement.name, subject, context)

        def change(found: Governance) -> Governance:
            return replace(found, policies={key: kept for key, kept in found.policies.items() if key != name})

        return GovernanceChange(subject, change)

    return governed("DROP POLICY", _caret(statement.name, context), context, record)


@plan.register
def plan_describe_policy(statement: DescribePolicy, context: Context) -> Plan:
    """The clauses of a policy as names and values."""

    def record() -> Plan:
        subject = _object(statement.securable, context)
        name, facts = _policy(statement.name, subject, context)
        rows = [("Name", name), ("On Securable Type", subject.kind), ("On Securable", ".".join(subject.parts))]
        rows += [(key, value) for key, value in facts.items() if key not in _LAST]
        rows += [(key, facts[key]) for key in _LAST if key in facts]
        return Answer(INFO, tuple(rows))

    return governed("DESCRIBE POLICY", _caret(statement.name, context), context, record, Answer(INFO))


@plan.register
def plan_show_policies(statement: ShowPolicies, context: Context) -> Plan:
    """The policies on an object; the effective ones of its schema and catalog after them."""

    def record() -> Plan:
        subject = _object(statement.securable, context)
        subjects = [item for item, _ in enclosing(subject, subject.kind)] if statement.effective else [subject]
        return Answer(_COLUMNS, tuple(_rows(subjects, context)))

    written = statement.securable
    return governed("SHOW POLICIES", context.caret(0, written.end), context, record, Answer(_COLUMNS))


def _rows(subjects: Sequence[Subject], context: Context) -> Iterator[tuple[str, ...]]:
    for subject in subjects:
        for name, facts in sorted(context.catalog.governance(subject).policies.items()):
            yield name, facts["Policy Type"], subject.kind, ".".join(subject.parts), facts["Function Name"]


def _caret(name: TableName, context: Context) -> Caret:
    """The words before the name of the policy."""
    return context.caret(0, len(context.sql[: name.start].rstrip()))
