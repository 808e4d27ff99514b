"""Connections, credentials, external locations, shares, recipients, providers and groups: records without effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from datetime import datetime, timezone
from typing import TypeVar

from deltasql.base import Caret, DeltaSqlError, errors
from deltasql.catalog import TABLE, Securable, checked, matching, now, sql_name
from deltasql.plan import TableName
from deltasql.planner import Answer, Context, Plan, SecurableChange, SecurableCreation, plan
from deltasql.schema import BOOLEAN, STRING, StructField, StructType
from deltasql.statements.describe import INFO
from deltasql.statements.governance import (
    AlterSecurable,
    CommentOnSecurable,
    CreateSecurable,
    DescribeSecurable,
    DropSecurable,
    SecurableName,
    ShowSecurables,
    ShowShare,
)
from deltasql.statements.grants import (
    REFRESHED_KINDS,
    governed,
    note_recorded,
    single_part,
    storage_kind,
    subject_of,
)

T = TypeVar("T")

_OPTION, _PROPERTY = "option.", "property."
_NAMES = StructType(tuple(StructField(name, STRING) for name in ("name", "comment")))
_NAME = StructField("name", STRING, nullable=False)
_PRINCIPALS = {"USER": StructType((_NAME,)), "GROUP": StructType((_NAME, StructField("directGroup", BOOLEAN)))}
_SHARED = StructType(tuple(StructField(name, STRING) for name in ("name", "type")))


@plan.register
def plan_create_securable(statement: CreateSecurable, context: Context) -> Plan:
    """An external location names a credential, which need not exist."""
    kind = storage_kind(statement.kind)

    def record() -> Plan:
        name = _placed(statement.name, context, lambda: checked(single_part(statement.name, context)))
        exists = any(item.name == name for item in context.catalog.securables(kind))
        if exists and statement.if_not_exists:
            return Answer()
        if exists:
            error = errors.SecurableExistsError(f"{statement.kind} {sql_name((name,))}")
            raise error.at(context.caret(statement.name.start, statement.name.end))
        facts = dict(statement.facts)
        if statement.kind != kind:
            facts["Purpose"] = statement.kind.partition(" ")[0]
        note_recorded(f"CREATE {statement.kind}")
        added = Securable(kind, name, now(), statement.comment, facts, statement.members)
        return SecurableCreation(added, statement.if_not_exists)

    return governed(f"CREATE {statement.kind}", *_words(statement.name, context), record)


@plan.register
def plan_alter_securable(statement: AlterSecurable, context: Context) -> Plan:
    kind = storage_kind(statement.kind)

    def record() -> Plan:
        found = _existing(statement.kind, statement.name, context)
        added = tuple(_member(item, context) for item in statement.added)
        removed = {_member(item, context, must_exist=False) for item in statement.removed}
        new_name = statement.new_name
        if new_name is not None and new_name.lower() != found.name:
            others = {item.name for item in context.catalog.securables(kind)}
            if new_name.lower() in others:
                raise errors.SecurableExistsError(f"{statement.kind} {sql_name((new_name.lower(),))}").at(
                    context.caret(statement.name.start, len(context.sql.rstrip("; \n")))
                )
        note_recorded(f"ALTER {statement.kind}")

        def change(kept: Securable) -> Securable:
            facts = {key: value for key, value in {**kept.facts, **dict(statement.facts)}.items() if value is not None}
            members = tuple(dict.fromkeys(item for item in (*kept.members, *added) if item not in removed))
            owned = kept.governance if statement.owner is None else replace(kept.governance, owner=statement.owner)
            comment = kept.comment if statement.comment is None else statement.comment
            name = kept.name if new_name is None else new_name.lower()
            return replace(kept, name=name, comment=comment, facts=facts, members=members, governance=owned)

        return SecurableChange(kind, found.name, change)

    return governed(f"ALTER {statement.kind}", *_words(statement.name, context), record)


@plan.register
def plan_comment_on_securable(statement: CommentOnSecurable, context: Context) -> Plan:
    def record() -> Plan:
        found = _existing(statement.kind, statement.name, context)
        note_recorded(f"COMMENT ON {statement.kind}")
        return SecurableChange(found.kind, found.name, lambda kept: replace(kept, comment=statement.comment))

    return governed(f"COMMENT ON {statement.kind}", *_words(statement.name, context), record)


@plan.register
def plan_drop_securable(statement: DropSecurable, context: Context) -> Plan:
    """FORCE is taken and says nothing: nothing depends on a record."""
    kind = storage_kind(statement.kind)

    def record() -> Plan:
        name = single_part(statement.name, context).lower()
        if not statement.if_exists:
            _existing(statement.kind, statement.name, context)
        note_recorded(f"DROP {statement.kind}")
        return SecurableChange(kind, name, lambda kept: None, if_exists=statement.if_exists)

    return governed(f"DROP {statement.kind}", *_words(statement.name, context), record)


@plan.register
def plan_describe_securable(statement: DescribeSecurable, context: Context) -> Plan:
    def record() -> Plan:
        found = _existing(statement.kind, statement.name, context)
        created = datetime.fromtimestamp(found.created_at / 1000, timezone.utc)
        rows = [("Name", found.name), ("Type", found.kind), ("Owner", found.governance.owner or "")]
        rows += [("Comment", found.comment or ""), ("Created At", created.isoformat(sep=" ", timespec="seconds"))]
        rows += [item for item in found.facts.items() if not item[0].startswith((_OPTION, _PROPERTY))]
        for label, prefix in (("Options", _OPTION), ("Properties", _PROPERTY)):
            pairs = [
                f"{key.removeprefix(prefix)}={text}" for key, text in found.facts.items() if key.startswith(prefix)
            ]
            rows += [(label, f"({', '.join(pairs)})")] if pairs else []
        rows += [("Members", ", ".join(found.members))] if found.members else []
        return Answer(INFO, tuple(rows))

    return governed(f"DESCRIBE {statement.kind}", *_words(statement.name, context), record, Answer(INFO))


@plan.register
def plan_show_securables(statement: ShowSecurables, context: Context) -> Plan:
    plural = f"{statement.kind}S"
    if statement.kind in _PRINCIPALS:
        columns = _PRINCIPALS[statement.kind]
        shown = _users if statement.kind == "USER" else _groups
        return governed(
            f"SHOW {plural}",
            *_all_words(context),
            lambda: Answer(columns, tuple(shown(statement, context))),
            Answer(columns),
        )

    def record() -> Plan:
        kind = storage_kind(statement.kind)
        found = {item.name: item for item in context.catalog.securables(kind)}
        if statement.kind != kind:
            purpose = statement.kind.partition(" ")[0]
            found = {name: item for name, item in found.items() if item.facts.get("Purpose") == purpose}
        rows = ((name, found[name].comment) for name in matching(found, statement.pattern))
        return Answer(_NAMES, tuple(rows))

    return governed(f"SHOW {plural}", *_all_words(context), record, Answer(_NAMES))


def _users(statement: ShowSecurables, context: Context) -> Iterator[tuple[str]]:
    """The session's user, and the users that are members of groups."""
    user = context.identity.user
    names = [name for members in _members(context).values() for kind, name in sorted(members) if kind == "USER"]
    names += [] if user is None else [user]
    for name in matching({name.lower(): name for name in names}.values(), statement.pattern):
        yield (name,)


def _groups(statement: ShowSecurables, context: Context) -> Iterator[tuple[str, bool | None]]:
    """The groups, or those that have a member, and whether it is a direct one."""
    members = _members(context)
    direct = dict.fromkeys(members) if statement.member is None else _groups_of(statement.member, members)
    for name in matching(direct, statement.pattern):
        yield name, direct[name]


def _groups_of(member: str, members: Mapping[str, Set[tuple[str, str]]]) -> dict[str, bool | None]:
    """The groups of a member such as `USER ann`, with True for those that name it, False for groups of its groups."""
    found: dict[str, bool | None] = {}
    wanted = {_parts(member.lower())}
    while wanted:
        new = [name for name, inside in members.items() if name not in found and wanted & _lower(inside)]
        found.update(dict.fromkeys(new, not found))
        wanted = {("group", name.lower()) for name in new}
    return found


def _lower(members: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(kind.lower(), name.lower()) for kind, name in members}


def _parts(member: str) -> tuple[str, str]:
    kind, _, name = member.partition(" ")
    return kind, name


def _members(context: Context) -> dict[str, set[tuple[str, str]]]:
    """The kinds and names of the members of each group, with the session's user in the session's groups."""
    user, groups = context.identity
    found = {item.name: {_parts(member) for member in item.members} for item in context.catalog.securables("GROUP")}
    for name in groups:
        recorded = name.lower() if name.lower() in found else name
        found.setdefault(recorded, set()).update(() if user is None else {("USER", user)})
    return found


@plan.register
def plan_show_share(statement: ShowShare, context: Context) -> Plan:
    """Of a share its objects that still exist; of a provider nothing: nothing is received from it."""
    operation = "SHOW ALL IN SHARE" if statement.kind == "SHARE" else "SHOW SHARES IN PROVIDER"
    columns = _SHARED if statement.kind == "SHARE" else _NAMES

    def record() -> Plan:
        found = _existing(statement.kind, statement.name, context)
        rows = (tuple(reversed(item.split(" ", 1))) for item in found.members)
        return Answer(columns, tuple(rows) if statement.kind == "SHARE" else ())

    return governed(operation, *_all_words(context), record, Answer(columns))


def _existing(kind: str, name: TableName, context: Context) -> Securable:
    """Raises SecurableNotFoundError, at the name."""
    part = single_part(name, context)
    return _placed(name, context, lambda: context.catalog.securable(storage_kind(kind), part))


def _member(item: SecurableName, context: Context, *, must_exist: bool = True) -> str:
    """The text of a member: of a group a principal, of a share an object by its full name, which must exist."""
    assert item.name is not None
    if item.kind in {"USER", "GROUP"}:
        return f"{item.kind} {item.name.parts[0]}"
    if item.kind in {"MODEL", "VOLUME"}:
        error = errors.SecurableClauseError(f"There are no objects of the kind {item.kind.lower()}.")
        raise error.at(context.caret(item.start, item.end))
    if must_exist or item.kind == "SCHEMA":
        subject, kind = subject_of(item, context)
        kind = TABLE if kind in REFRESHED_KINDS else kind
        return f"{kind} {'.'.join(subject.parts)}"
    return f"{item.kind} {'.'.join(context.catalog.full_name(item.name.parts))}"


def _placed(name: TableName, context: Context, look: Callable[[], T]) -> T:
    try:
        return look()
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _words(name: TableName, context: Context) -> tuple[Caret, Context]:
    """The words of the kind, between the verb and the name."""
    tokens = [token for token in context.tokens if token.start < name.start]
    words = [token for token in tokens[1:] if token.key not in {"IF", "NOT", "EXISTS", "OR", "REPLACE"}]
    words = words or tokens
    return context.caret(words[0].start, words[-1].end), context


def _all_words(context: Context) -> tuple[Caret, Context]:
    return context.caret(0, len(context.sql.rstrip("; \n"))), context
