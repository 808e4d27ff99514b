"""Options of a client's session: its current catalog and schema, which USE changes, too."""

from __future__ import annotations

from typing import Any

from deltasql.errors.base import DeltaSqlError
from deltasql.server.messages import INVALID_NAME, INVALID_VALUE, message
from deltasql.session import Session

CATALOG, SCHEMA = "catalog", "schema"


def options_of(session: Session) -> Any:
    """The GetSessionOptionsResult message with catalog and schema."""
    options = {CATALOG: session.catalog.current_catalog, SCHEMA: session.catalog.current_schema}
    entries = [
        message("SessionOption", key=key, value=message("SessionOptionValue", string_value=value))
        for key, value in options.items()
    ]
    return message("GetSessionOptionsResult", session_options=entries)


def set_options(session: Session, request: Any) -> Any:
    """Sets the options, the catalog before the schema; the message with the faults of the others."""
    errors = []
    for entry in sorted(request.session_options, key=lambda entry: str(entry.key)):
        fault = _set(session, str(entry.key), entry.value)
        if fault is not None:
            errors.append(
                message("SessionOptionError", key=entry.key, value=message("SessionOptionFault", value=fault))
            )
    return message("SetSessionOptionsResult", errors=errors)


def _set(session: Session, key: str, value: Any) -> int | None:
    """Sets one option; returns its fault, or None."""
    if key not in {CATALOG, SCHEMA}:
        return INVALID_NAME
    if value.WhichOneof("option_value") != "string_value":
        return INVALID_VALUE
    try:
        if key == CATALOG:
            session.catalog.use_catalog(value.string_value)
        else:
            session.catalog.use(value.string_value)
    except DeltaSqlError:
        return INVALID_VALUE
    return None
