"""The privileges on each kind of object. Source: Unity Catalog; legacy ones of the Hive metastore are there too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltasql.errors.statements.governance import InvalidPrivilegeError
from deltasql.errors.suggestion import meant, similar_names
from deltasql.plan.statements.governance import Privilege
from deltasql.planner.context import Context

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
