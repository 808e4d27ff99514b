"""Plans of statements about privileges, owners, row filters and column masks, and their rows in DESCRIBE.

The setting `deltasql.governance` says whether these statements are refused, ignored or recorded. The privileges depend
on the kind of object. Source: Unity Catalog; legacy ones of the Hive metastore are there too. Functions and columns of
a row filter or a mask are checked before it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deltasql.base import Caret, DeltaSqlError, counted, errors, meant, session_settings, similar_names
from deltasql.catalog import (
    CATALOG,
    FUNCTION,
    METASTORE,
    SCHEMA,
    TABLE,
    UNGOVERNED,
    VOLUME,
    Argument,
    Governance,
    Policy,
    Refreshed,
    Subject,
    ViewEntry,
    arguments_text,
    sql_name,
)
from deltasql.plan import TableName, make_note
from deltasql.planner import Answer, Context, GovernanceChange, Plan, plan
from deltasql.schema import STRING, StructField, StructType, resolve
from deltasql.schema import quote_name as quote
from deltasql.sql import FunctionText, function_text
from deltasql.statements.governance import (
    ChangeGrants,
    ColumnMask,
    PolicyArgument,
    Privilege,
    RowFilterClause,
    SecurableName,
    SetMask,
    SetOwner,
    SetRowFilter,
    ShowGrants,
)

PROCEDURE = "PROCEDURE"
_UNSTORED = frozenset({"ANY FILE", "ANONYMOUS FUNCTION"})
"""Kinds of the dialect of which the catalog has no objects."""
REFRESHED_KINDS = frozenset(kind.value for kind in Refreshed)
"""Kinds of tables that a query fills."""


def subject_of(securable: SecurableName, context: Context) -> tuple[Subject, str]:
    """The object of a name, which must exist, and its kind as SHOW GRANTS has it: a view is no table there.

    Raises the error of a missing object, UnsupportedSecurableError, WrongObjectError.
    """
    try:
        subject, kind = _found(securable, context)
        is_named = subject.parts and not securable.is_other
        if is_named and context.catalog.external.type_of(subject.parts[0]) is not None:
            raise errors.UnsupportedSecurableError(
                str(subject), "Its catalog is external: run the statement on its server."
            )
        return subject, kind
    except DeltaSqlError as error:
        raise error.at(context.caret(securable.start, securable.end)) from None


def _found(securable: SecurableName, context: Context) -> tuple[Subject, str]:
    kind, name = securable.kind, securable.name
    if securable.is_other or kind in _UNSTORED:
        # Nothing says whether such an object exists: records are about its name.
        return Subject(kind, () if name is None else (".".join(name.parts).lower(),)), kind
    if kind == CATALOG:
        catalog = context.catalog.current_catalog if name is None else context.require_catalog(name).lower()
        return Subject(CATALOG, (catalog,)), kind
    if name is None:
        return Subject(METASTORE, ()), kind
    context.refuse_version(name)
    if kind == SCHEMA:
        entry = context.catalog.schema(name.parts)
        return Subject(SCHEMA, (entry.catalog, entry.name)), kind
    if kind in {FUNCTION, PROCEDURE}:
        return _routine(kind, name, context), kind
    if kind == VOLUME:
        return Subject(VOLUME, context.catalog.volume(name.parts).parts), kind
    if kind in {"", TABLE, "VIEW"} | REFRESHED_KINDS:
        return _relation(kind, name, context)
    found = context.catalog.securable(storage_kind(kind), single_part(name, context))
    return Subject(found.kind, (found.name,)), kind


def storage_kind(kind: str) -> str:
    """The kind that the catalog has for a kind of a statement: the names of all credentials are of one set."""
    return "CREDENTIAL" if kind.endswith("CREDENTIAL") else kind


def single_part(name: TableName, context: Context) -> str:
    """The only part of a name. Raises TooManyNamePartsError, at the name."""
    context.refuse_version(name)
    if len(name.parts) != 1:
        raise errors.TooManyNamePartsError(name=str(name)).at(context.caret(name.start, name.end))
    return name.parts[0]


def table_subject(name: TableName, context: Context) -> Subject:
    """A table of the catalog. Raises WrongObjectError for a view, and what `subject_of` raises."""
    subject, kind = subject_of(SecurableName(TABLE, name, name.start, name.end), context)
    if kind == "VIEW":
        error = errors.WrongObjectError("ROW FILTER, MASK", "table", str(name), "view", "the condition into its query")
        raise error.at(context.caret(name.start, name.end))
    return subject


def _relation(kind: str, name: TableName, context: Context) -> tuple[Subject, str]:
    if name.path is not None:
        raise errors.UnsupportedSecurableError(str(name), "Give the table a name: CREATE TABLE … LOCATION '/path'.")
    if context.is_temporary_view(name):
        raise errors.UnsupportedSecurableError(f"The temporary view {name}", "Name a view of the catalog.")
    entry = context.catalog.find(name.parts) if len(name.parts) <= 3 else None
    if entry is None:
        entry = context.catalog.require(name.parts)
    is_view = isinstance(entry, ViewEntry)
    if isinstance(entry, ViewEntry) and entry.is_built_in:
        raise errors.UnsupportedSecurableError(f"The built-in view {name}", "Name a table or a view of your own.")
    refreshed = None if isinstance(entry, ViewEntry) else entry.refreshed
    found = "VIEW" if is_view else TABLE if refreshed is None else refreshed.kind.value
    if kind in {"VIEW", *REFRESHED_KINDS} and kind != found:
        words = f"A statement about a {kind}"
        raise errors.WrongObjectError(words, kind.lower(), str(name), found.lower(), f"ON {found} {name}")
    return Subject(TABLE, entry.parts), found


def _routine(kind: str, name: TableName, context: Context) -> Subject:
    """A function or a procedure, which have their records in one place."""
    parts, catalog = context.catalog.full_name(name.parts), context.catalog
    find, known, listed = (
        (catalog.procedure, catalog.procedures, "SHOW PROCEDURES lists those of a schema.")
        if kind == PROCEDURE
        else (catalog.function, catalog.functions, "SHOW USER FUNCTIONS lists all of them.")
    )
    if find(parts) is None:
        similar = similar_names(parts[-1], [entry.name for entry in known(parts[:2])], most=3)
        raise errors.SecurableNotFoundError(f"{kind} {name}", meant(similar) or listed)
    return Subject(FUNCTION, parts)


ALL = "ALL PRIVILEGES"

_OF_ALL = frozenset({ALL, "MANAGE"})
_TABLE = frozenset({*_OF_ALL, "APPLY TAG", "MODIFY", "SELECT", "READ_METADATA"})
_FUNCTION = frozenset({*_OF_ALL, "EXECUTE", "APPLY TAG"})
_SCHEMA = frozenset(
    {
        *(_TABLE | _FUNCTION),
        *("USE SCHEMA", "EXTERNAL USE SCHEMA", "READ VOLUME", "WRITE VOLUME", "REFRESH", "USAGE", "CREATE"),
        *("CREATE FUNCTION", "CREATE MATERIALIZED VIEW", "CREATE MODEL", "CREATE MODEL VERSION", "CREATE TABLE"),
        *("CREATE VIEW", "CREATE VOLUME", "CREATE_NAMED_FUNCTION"),
    }
)
_LOCATION = frozenset({"CREATE EXTERNAL TABLE", "READ FILES", "WRITE FILES"})
PRIVILEGES: Mapping[str, frozenset[str]] = {
    "CATALOG": _SCHEMA | {"USE CATALOG", "BROWSE", "CREATE SCHEMA", "ACCESS"},
    "SCHEMA": _SCHEMA,
    "TABLE": _TABLE,
    "VIEW": _TABLE - {"MODIFY"},
    "MATERIALIZED VIEW": _TABLE - {"MODIFY"} | {"REFRESH"},
    "STREAMING TABLE": _TABLE | {"REFRESH"},
    "FUNCTION": _FUNCTION,
    "PROCEDURE": _FUNCTION,
    "VOLUME": _OF_ALL | {"APPLY TAG", "READ VOLUME", "WRITE VOLUME"},
    "CONNECTION": _OF_ALL | {"USE CONNECTION", "CREATE FOREIGN CATALOG"},
    "CREDENTIAL": _OF_ALL | _LOCATION | {"ACCESS", "CREATE EXTERNAL LOCATION", "CREATE CONNECTION"},
    "STORAGE CREDENTIAL": _OF_ALL | _LOCATION | {"CREATE EXTERNAL LOCATION"},
    "SERVICE CREDENTIAL": _OF_ALL | {"ACCESS", "CREATE CONNECTION"},
    "EXTERNAL LOCATION": _OF_ALL
    | _LOCATION
    | {
        *("BROWSE", "CREATE EXTERNAL VOLUME", "CREATE FOREIGN SECURABLE", "CREATE MANAGED STORAGE"),
        *("EXTERNAL USE LOCATION",),
    },
    "SHARE": frozenset({"SELECT"}),
    "METASTORE": frozenset(
        {
            *("CREATE CATALOG", "CREATE CLEAN ROOM", "CREATE CONNECTION", "CREATE EXTERNAL LOCATION"),
            *("CREATE PROVIDER", "CREATE RECIPIENT", "CREATE SERVICE CREDENTIAL", "CREATE SHARE"),
            *("CREATE STORAGE CREDENTIAL", "MANAGE ALLOWLIST", "SET SHARE PERMISSION", "USE CONNECTION"),
            *("USE MARKETPLACE ASSETS", "USE PROVIDER", "USE RECIPIENT", "USE SHARE"),
        }
    ),
}


def checked_privileges(kind: str, privileges: Sequence[Privilege], context: Context) -> tuple[str, ...]:
    """The words of the privileges. Raises InvalidPrivilegeError for one that the kind of object does not have."""
    known = PRIVILEGES.get(kind, frozenset())
    for privilege in privileges:
        if privilege.text in known or kind not in _CHECKED:
            continue
        others = f"It has {', '.join(sorted(known))}." if known else "It has an owner, and no privileges."
        advice = meant(similar_names(privilege.text, known)) or others
        error = errors.InvalidPrivilegeError(privilege.text, kind, advice)
        raise error.at(context.caret(privilege.start, privilege.end))
    return tuple(dict.fromkeys(privilege.text for privilege in privileges))


_CHECKED = frozenset({*PRIVILEGES, "RECIPIENT", "PROVIDER", "GROUP"})
"""Kinds of objects whose privileges are known; of others any is recorded."""

RECORDED = "deltasql enforces no privileges."
POLICY = "It applies while deltasql.governance.filters is true."
IGNORED = "{operation} was ignored: deltasql enforces no privileges."


def governed(
    operation: str, caret: Caret, context: Context, record: Callable[[], Plan], ignored: Answer | None = None
) -> Plan:
    """The plan that `record` gives, if the setting is RECORD; `ignored`, with a warning, if it is WARN.

    Raises GovernanceRefusedError, at the caret, if it is ERROR.
    """
    if not is_recorded(operation, caret, context):
        return ignored or Answer()
    return record()


def is_recorded(operation: str, caret: Caret, context: Context) -> bool:
    """Whether the setting is RECORD; with WARN the statement gets a warning. Raises GovernanceRefusedError."""
    mode = context.setting(session_settings.GOVERNANCE)
    if mode == "ERROR":
        raise errors.GovernanceRefusedError(operation).at(caret)
    if mode == "WARN":
        make_note(IGNORED.format(operation=operation), is_warning=True)
        return False
    return True


def note_recorded(operation: str, effect: str = RECORDED) -> None:
    """Makes the warning that something is recorded, and has this `effect`; once in a session for each operation."""
    make_note(f"{operation}: recorded in the catalog. {effect}", is_warning=True, once=True)


def note_policy(operation: str, context: Context) -> None:
    """Makes the warning that a row filter or a mask is recorded, and does not apply in this session, if it does not."""
    if not context.setting(session_settings.GOVERNANCE_FILTERS):
        note_recorded(operation, POLICY)


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
def plan_change_grants(statement: ChangeGrants, context: Context) -> Plan:
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
    first = context.tokens[0]
    return first.start, first.end


@plan.register
def plan_show_grants(statement: ShowGrants, context: Context) -> Plan:
    """Privileges on an object, with those on its schema and catalog, which it inherits."""

    def record() -> Plan:
        if statement.recipient is not None:
            return _of_recipient(single_part(statement.recipient, context), context)
        securable = statement.securable or SecurableName(METASTORE, None, 0, len(context.sql))
        subject, kind = subject_of(securable, context)
        # Unity Catalog has one kind of object for tables and views, and clients look for that one.
        kinds = ((item, TABLE if item.kind == TABLE else shown) for item, shown in enclosing(subject, kind))
        rows = [row for item, shown in kinds for row in _rows(item, shown, context)]
        wanted = None if statement.principal is None else statement.principal.lower()
        rows = [row for row in rows if wanted is None or row[0].lower() == wanted]
        return Answer(_OF_SHARE if kind == "SHARE" else _GRANTS, tuple(rows))

    caret = context.caret(*_first_word(context))
    return governed("SHOW GRANTS", caret, context, record, Answer(_GRANTS))


def enclosing(subject: Subject, kind: str) -> Iterator[tuple[Subject, str]]:
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
def plan_set_owner(statement: SetOwner, context: Context) -> Plan:
    """Records the owner of an object of the catalog, which must exist."""

    def record() -> Plan:
        subject, _ = subject_of(statement.securable, context)
        note_recorded("OWNER TO")
        return GovernanceChange(subject, lambda found: replace(found, owner=statement.principal))

    name = statement.securable.name
    assert name is not None
    written = next(token for token in context.tokens if token.start >= name.end and token.key in {"SET", "OWNER"})
    operation = f"ALTER {statement.securable.kind} … OWNER TO"
    return governed(operation, context.caret(written.start, len(context.sql.rstrip("; \n"))), context, record)


@dataclass(frozen=True, slots=True)
class _Declared:
    """A row filter or a mask and its table, for messages. `given` counts the arguments before the written ones."""

    policy: str
    table: str
    given: int


def filter_policy(row_filter: RowFilterClause, schema: StructType, table: str, context: Context) -> Policy:
    """The row filter of a table. Raises ColumnNotFoundError, SecurableNotFoundError, PolicyFunctionError."""
    declared = _Declared("row filter", table, 0)
    policy, text = _policy(row_filter, schema, declared, context)
    if text.returns is not None and text.returns.upper() != "BOOLEAN":
        reason = f"it returns {text.returns.upper()}"
        raise _refused(row_filter, declared, reason, "A row filter returns BOOLEAN.", context)
    return policy


def mask_policy(mask: ColumnMask, field: StructField, schema: StructType, table: str, context: Context) -> Policy:
    """The mask of a column. Raises what `filter_policy` raises."""
    return _policy(mask, schema, _Declared(f"mask of {quote(field.name)}", table, 1), context)[0]


def _policy(
    written: RowFilterClause | ColumnMask, schema: StructType, declared: _Declared, context: Context
) -> tuple[Policy, FunctionText]:
    name = written.function
    subject, _ = subject_of(SecurableName("FUNCTION", name, name.start, name.end), context)
    catalog, schema_name, function = subject.parts
    entry = context.catalog.function(subject.parts)
    assert entry is not None
    text = function_text(entry.definition.text)
    arguments = tuple(_argument(item, schema, declared, context) for item in written.arguments)
    count = len(arguments) + declared.given
    least = sum(parameter.default is None for parameter in text.parameters)
    if text.is_table:
        raise _refused(written, declared, "it returns a table", "Write RETURNS BOOLEAN or a type.", context)
    if text.language not in {None, "SQL"}:
        advice = f"Call it in a function of SQL: CREATE FUNCTION … RETURN {name}(…)."
        raise _refused(written, declared, f"it is a function of {str(text.language).capitalize()}", advice, context)
    if not least <= count <= len(text.parameters):
        columns = "ON (…)" if declared.given == 0 else "USING COLUMNS (…)"
        reason = f"it has {counted(len(text.parameters), 'parameters')}, and gets {counted(count, 'arguments')}"
        raise _refused(written, declared, reason, f"Name a column for each parameter in {columns}.", context)
    return Policy((catalog, schema_name, function), arguments), text


def _argument(item: PolicyArgument, schema: StructType, declared: _Declared, context: Context) -> Argument:
    if not item.is_column:
        return Argument(item.text, is_column=False)
    try:
        return Argument(resolve(schema, (item.text,), where=declared.table).field.name, is_column=True)
    except DeltaSqlError as error:
        raise error.at(context.caret(item.start, item.end)) from None


def _refused(
    written: RowFilterClause | ColumnMask, declared: _Declared, reason: str, advice: str, context: Context
) -> DeltaSqlError:
    name = written.function
    error = errors.PolicyFunctionError(str(name), declared.policy, declared.table, reason, advice)
    return error.at(context.caret(name.start, name.end))


def declared_policies(
    row_filter: RowFilterClause | None,
    masks: Sequence[tuple[str, ColumnMask]],
    schema: StructType,
    table: TableName,
    context: Context,
) -> Governance:
    """The records for the clauses of CREATE TABLE; `masks` are by column. None of them, if clauses are ignored."""
    found, name = UNGOVERNED, str(table)
    if row_filter is not None and is_recorded("ROW FILTER", context.caret(row_filter.start, row_filter.end), context):
        found = replace(found, row_filter=filter_policy(row_filter, schema, name, context))
        note_policy("ROW FILTER", context)
    for column, mask in masks:
        if is_recorded("MASK", context.caret(mask.start, mask.end), context):
            field = resolve(schema, (column,), where=name).field
            found = found.masked(field.name, mask_policy(mask, field, schema, name, context))
            note_policy("MASK", context)
    return found


def refuse_policy_change(path: Sequence[str], change: str, table: TableName, location: str, context: Context) -> None:
    """Raises PolicyColumnError for a column that a row filter or a mask uses, or that is masked, whichever name of the
    table at this location has it.

    `change` is a participle: dropped, renamed, retyped.
    """
    for used in _used(location, context):
        if used.column.lower() == path[0].lower():
            raise used.refused(table, change)


def refuse_lost_columns(schema: StructType, table: TableName, location: str, context: Context) -> None:
    """Raises PolicyColumnError where a replaced table lacks a column that its row filter or a mask uses."""
    for used in _used(location, context):
        if schema.find(used.column) is None:
            raise used.refused(table, "left out")


@dataclass(frozen=True, slots=True)
class _Used:
    """A column of a policy, with the policy, and the statement that drops that."""

    column: str
    policy: str
    drop: str

    def refused(self, table: TableName, change: str) -> errors.PolicyColumnError:
        return errors.PolicyColumnError(quote(self.column), str(table), change, self.policy, self.drop)


def _used(location: str, context: Context) -> Iterator[_Used]:
    """The columns that policies on the names of a table use."""
    for entry in context.catalog.governed_at(location):
        governance, name = entry.governance, sql_name(entry.parts)
        if governance.row_filter is not None:
            policy = f"the row filter {sql_name(governance.row_filter.function)}"
            for column in governance.row_filter.columns:
                yield _Used(column, policy, f"ALTER TABLE {name} DROP ROW FILTER")
        for masked, mask in governance.masks.items():
            policy, drop = f"the mask {sql_name(mask.function)}", f"ALTER COLUMN {quote(masked)} DROP MASK"
            for column in (masked, *mask.columns):
                yield _Used(column, policy, f"ALTER TABLE {name} {drop}")


def filter_clause(governance: Governance) -> Iterator[str]:
    """The clause of CREATE TABLE for the row filter, if there is one."""
    policy = governance.row_filter
    if policy is not None:
        yield f"WITH ROW FILTER {_policies_function(policy)} ON ({arguments_text(policy)})"


def mask_clause(governance: Governance, column: str) -> str:
    """The clause of a column for its mask, with a blank before it; "" without one."""
    policy = next((mask for name, mask in governance.masks.items() if name.lower() == column.lower()), None)
    if policy is None:
        return ""
    using = f" USING COLUMNS ({arguments_text(policy)})" if policy.arguments else ""
    return f" MASK {_policies_function(policy)}{using}"


def policy_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The rows that DESCRIBE EXTENDED has for a row filter and for masks."""
    policy = governance.row_filter
    if policy is not None:
        yield "", "", ""
        yield "# Row Filter", "", ""
        yield _policies_function(policy), arguments_text(policy), ""
    if governance.masks:
        yield "", "", ""
        yield "# Column Masks", "", ""
        for column, mask in governance.masks.items():
            yield column, _policies_function(mask), arguments_text(mask)


def owner_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The row of the owner, if one is recorded."""
    if governance.owner is not None:
        yield "Owner", governance.owner, ""


def _policies_function(policy: Policy) -> str:
    return sql_name(policy.function)


@plan.register
def plan_set_row_filter(statement: SetRowFilter, context: Context) -> Plan:
    """Records the row filter of a table, or removes it; DROP of none is no error."""
    operation = f"ALTER TABLE … {'DROP' if statement.row_filter is None else 'SET'} ROW FILTER"

    def record() -> Plan:
        table, written = statement.table, statement.row_filter
        subject = table_subject(table, context)
        snapshot = context.snapshot(table)
        policy = None if written is None else filter_policy(written, snapshot.schema, str(table), context)
        note_policy(operation, context)
        return GovernanceChange(subject, lambda found: replace(found, row_filter=policy))

    return governed(operation, _caret(statement.row_filter, statement.table.end, context), context, record)


@plan.register
def plan_set_mask(statement: SetMask, context: Context) -> Plan:
    """Records the mask of a column, or removes it; DROP of none is no error. Nested fields have no masks."""
    operation = f"ALTER TABLE … ALTER COLUMN … {'DROP' if statement.mask is None else 'SET'} MASK"

    def record() -> Plan:
        table, column = statement.table, statement.column
        subject = table_subject(table, context)
        snapshot = context.snapshot(table)
        try:
            field = resolve(snapshot.schema, column.parts[:1], where=str(table)).field
            if len(column.parts) > 1:
                resolve(snapshot.schema, (".".join(column.parts),), where=str(table))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
        mask = statement.mask
        policy = None if mask is None else mask_policy(mask, field, snapshot.schema, str(table), context)
        note_policy(operation, context)
        return GovernanceChange(subject, lambda found: found.masked(field.name, policy))

    return governed(operation, _caret(statement.mask, statement.column.end, context), context, record)


def _caret(policy: RowFilterClause | ColumnMask | None, name_end: int, context: Context) -> Caret:
    """The place of a policy, or of the DROP of one, which is all behind the name."""
    if policy is not None:
        return context.caret(policy.start, policy.end)
    return context.caret(name_end + 1, len(context.sql.rstrip("; \n")))
