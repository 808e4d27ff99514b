"""GRANT, REVOKE, DENY, SHOW GRANTS and OWNER TO."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deltasql.catalog.governance import Governance
from deltasql.catalog.governed import CATALOG, FUNCTION, METASTORE, SCHEMA, TABLE, VOLUME, Subject
from deltasql.planner.catalog_changes import GovernanceChange
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.sql.tokens import tokenize
from deltasql.statements.nodes.governance import ChangeGrants, SecurableName, SetOwner, ShowGrants
from deltasql.statements.subjects import (
    ALL,
    checked_privileges,
    governed,
    note_recorded,
    single_part,
    subject_of,
)


def _columns(first: str) -> StructType:
    return StructType(
        (
            StructField(first, STRING, nullable=False),
            StructField("actionType", STRING, nullable=False),
            *(StructField(name, STRING) for name in ("objectType", "objectKey")),
        )
    )


_GRANTS, _OF_SHARE = _columns("principal"), _columns("recipient")


@plan.register
def _(statement: ChangeGrants, context: Context) -> Plan:
    """Records privileges of a principal, or removes records. The object must exist."""

    def record() -> Plan:
        subject, kind = subject_of(statement.securable, context)
        privileges = _privileges(statement, kind, context)
        note_recorded(statement.verb)

        def change(found: Governance) -> Governance:
            for principal in statement.principals:
                changes = {"GRANT": found.granted, "DENY": found.denied, "REVOKE": found.revoked}
                found = changes[statement.verb](principal, privileges)
            return found

        return GovernanceChange(subject, change)

    return governed(statement.verb, context.caret(*_first_word(context)), context, record)


def _privileges(statement: ChangeGrants, kind: str, context: Context) -> tuple[str, ...]:
    """REVOKE ALL PRIVILEGES is for every kind of object."""
    if statement.verb == "REVOKE" and [item.text for item in statement.privileges] == [ALL]:
        return (ALL,)
    return checked_privileges(kind, statement.privileges, context)


def _first_word(context: Context) -> tuple[int, int]:
    first = tokenize(context.sql)[0]
    return first.start, first.end


@plan.register
def _(statement: ShowGrants, context: Context) -> Plan:
    """Privileges on an object, with those on its schema and catalog, which it inherits."""

    def record() -> Plan:
        if statement.recipient is not None:
            return _of_recipient(single_part(statement.recipient, context), context)
        securable = statement.securable or SecurableName(METASTORE, None, 0, len(context.sql))
        subject, kind = subject_of(securable, context)
        rows = [row for item, shown in _lineage(subject, kind) for row in _rows(item, shown, context)]
        wanted = None if statement.principal is None else statement.principal.lower()
        rows = [row for row in rows if wanted is None or row[0].lower() == wanted]
        return Answer(_OF_SHARE if kind == "SHARE" else _GRANTS, tuple(rows))

    caret = context.caret(*_first_word(context))
    return governed("SHOW GRANTS", caret, context, record, Answer(_GRANTS))


def _lineage(subject: Subject, kind: str) -> Iterator[tuple[Subject, str]]:
    """The object, and those that its privileges are inherited from."""
    yield subject, kind
    if subject.kind in {TABLE, FUNCTION, VOLUME}:
        yield Subject(SCHEMA, subject.parts[:2]), SCHEMA
    if subject.kind in {TABLE, FUNCTION, VOLUME, SCHEMA}:
        yield Subject(CATALOG, subject.parts[:1]), CATALOG


def _rows(subject: Subject, kind: str, context: Context) -> Iterator[tuple[str, str, str, str]]:
    governance = context.catalog.governance(subject)
    key = ".".join(subject.parts)
    for principal, privileges in governance.grants.items():
        yield from ((principal, privilege, kind, key) for privilege in privileges)
    for principal, privileges in governance.denials.items():
        yield from ((principal, f"DENIED_{privilege}", kind, key) for privilege in privileges)


def _of_recipient(name: str, context: Context) -> Answer:
    """The shares that a recipient may read."""
    recipient = context.catalog.securable("RECIPIENT", name)
    columns = StructType(tuple(StructField(name, STRING) for name in ("share", "actionType")))
    found = (
        (share.name, privilege)
        for share in context.catalog.securables("SHARE")
        for principal, privileges in share.governance.grants.items()
        for privilege in privileges
        if principal.lower() == recipient.name
    )
    return Answer(columns, tuple(found))


@plan.register
def _(statement: SetOwner, context: Context) -> Plan:
    """Records the owner of an object of the catalog, which must exist."""

    def record() -> Plan:
        subject, _ = subject_of(statement.securable, context)
        note_recorded("OWNER TO")
        return GovernanceChange(subject, lambda found: replace(found, owner=statement.principal))

    name = statement.securable.name
    assert name is not None
    written = next(
        token for token in tokenize(context.sql) if token.start >= name.end and token.key in {"SET", "OWNER"}
    )
    operation = f"ALTER {statement.securable.kind} … OWNER TO"
    return governed(operation, context.caret(written.start, len(context.sql.rstrip("; \n"))), context, record)
