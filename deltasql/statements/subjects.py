"""The objects that privileges and owners belong to, found by the names of a statement.

The privileges on each kind of object. Source: Unity Catalog; legacy ones of the Hive metastore are there too.

The setting `deltasql.governance`: whether statements about privileges are refused, ignored or recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.catalog import TooManyNamePartsError
from deltasql.base.errors.statements.governance import (
    GovernanceRefusedError,
    InvalidPrivilegeError,
    SecurableNotFoundError,
    UnsupportedSecurableError,
)
from deltasql.base.errors.statements.refused import WrongObjectError
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.base.settings.session_settings import GOVERNANCE
from deltasql.catalog.definitions import Refreshed
from deltasql.catalog.entries import ViewEntry
from deltasql.catalog.governed import CATALOG, FUNCTION, METASTORE, SCHEMA, TABLE, VOLUME, Subject
from deltasql.plan.base import TableName
from deltasql.plan.way import make_note
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context
from deltasql.statements.nodes.governance import Privilege, SecurableName

_UNSUPPORTED = {
    "ANY FILE": "Files are governed by their storage.",
    "ANONYMOUS FUNCTION": "Name a function: ON FUNCTION f.",
    "PROCEDURE": "There are no procedures.",
}
REFRESHED_KINDS = frozenset(kind.value for kind in Refreshed)
"""Kinds of tables that a query fills."""


def subject_of(securable: SecurableName, context: Context) -> tuple[Subject, str]:
    """The object of a name, which must exist, and its kind as SHOW GRANTS has it: a view is no table there.

    Raises the error of a missing object, UnsupportedSecurableError, WrongObjectError.
    """
    try:
        subject, kind = _found(securable, context)
        if subject.parts and context.catalog.external.type_of(subject.parts[0]) is not None:
            raise UnsupportedSecurableError(str(subject), "Its catalog is external: run the statement on its server.")
        return subject, kind
    except DeltaSqlError as error:
        raise error.at(context.caret(securable.start, securable.end)) from None


def _found(securable: SecurableName, context: Context) -> tuple[Subject, str]:
    kind, name = securable.kind, securable.name
    if kind in _UNSUPPORTED:
        raise UnsupportedSecurableError(kind if name is None else f"{kind} {name}", _UNSUPPORTED[kind])
    if kind == CATALOG:
        catalog = context.catalog.current_catalog if name is None else context.require_catalog(name).lower()
        return Subject(CATALOG, (catalog,)), kind
    if name is None:
        return Subject(METASTORE, ()), kind
    context.refuse_version(name)
    if kind == SCHEMA:
        entry = context.catalog.schema(name.parts)
        return Subject(SCHEMA, (entry.catalog, entry.name)), kind
    if kind == FUNCTION:
        return _function(name, context), kind
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
        raise TooManyNamePartsError(name=str(name)).at(context.caret(name.start, name.end))
    return name.parts[0]


def table_subject(name: TableName, context: Context) -> Subject:
    """A table of the catalog. Raises WrongObjectError for a view, and what `subject_of` raises."""
    subject, kind = subject_of(SecurableName(TABLE, name, name.start, name.end), context)
    if kind == "VIEW":
        error = WrongObjectError("ROW FILTER, MASK", "table", str(name), "view", "the condition into its query")
        raise error.at(context.caret(name.start, name.end))
    return subject


def _relation(kind: str, name: TableName, context: Context) -> tuple[Subject, str]:
    if name.path is not None:
        raise UnsupportedSecurableError(str(name), "Give the table a name: CREATE TABLE … LOCATION '/path'.")
    if context.is_temporary_view(name):
        raise UnsupportedSecurableError(f"The temporary view {name}", "Name a view of the catalog.")
    entry = context.catalog.find(name.parts) if len(name.parts) <= 3 else None
    if entry is None:
        entry = context.catalog.require(name.parts)
    is_view = isinstance(entry, ViewEntry)
    if isinstance(entry, ViewEntry) and entry.is_built_in:
        raise UnsupportedSecurableError(f"The built-in view {name}", "Name a table or a view of your own.")
    refreshed = None if isinstance(entry, ViewEntry) else entry.refreshed
    found = "VIEW" if is_view else TABLE if refreshed is None else refreshed.kind.value
    if kind in {"VIEW", *REFRESHED_KINDS} and kind != found:
        words = f"A statement about a {kind}"
        raise WrongObjectError(words, kind.lower(), str(name), found.lower(), f"ON {found} {name}")
    return Subject(TABLE, entry.parts), found


def _function(name: TableName, context: Context) -> Subject:
    parts = context.catalog.full_name(name.parts)
    if context.catalog.function(parts) is None:
        names = [entry.name for entry in context.catalog.functions(parts[:2])]
        similar = similar_names(parts[-1], names, most=3)
        advice = meant(similar) or "SHOW USER FUNCTIONS lists all of them."
        raise SecurableNotFoundError(f"FUNCTION {name}", advice)
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
        if privilege.text in known:
            continue
        others = f"It has {', '.join(sorted(known))}." if known else "It has an owner, and no privileges."
        advice = meant(similar_names(privilege.text, known)) or others
        error = InvalidPrivilegeError(privilege.text, kind, advice)
        raise error.at(context.caret(privilege.start, privilege.end))
    return tuple(dict.fromkeys(privilege.text for privilege in privileges))


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
    mode = context.setting(GOVERNANCE)
    if mode == "ERROR":
        raise GovernanceRefusedError(operation).at(caret)
    if mode == "WARN":
        make_note(IGNORED.format(operation=operation), is_warning=True)
        return False
    return True


def note_recorded(operation: str, effect: str = RECORDED) -> None:
    """Makes the note that something is recorded, and whether it has an `effect`."""
    make_note(f"{operation}: recorded in the catalog. {effect}", is_warning=False)
