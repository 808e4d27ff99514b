"""The options of a DataFrame's write, read and checked. Options that nobody knows are let through, as Spark does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.errors.frames import (
    IllegalOptionError,
    OverwriteSchemaDynamicError,
    ReplaceWhereDynamicError,
    UnsupportedWriteError,
)
from deltasql.plan.frames import WriteFrame, WriteMode
from deltasql.planner.idempotency import Application, application


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What the options of one write come to; None where the option is not there."""

    merge_schema: bool | None
    overwrite_schema: bool
    replace_where: str | None
    dynamic: bool | None
    data_change: bool
    application: Application | None
    user_metadata: str | None
    properties: tuple[tuple[str, str], ...]


def write_options(statement: WriteFrame) -> WriteOptions:
    """The options of a write.

    Raises IllegalOptionError, InvalidIdempotentWriteError, UnsupportedWriteError, and for two that exclude each other
    OverwriteSchemaDynamicError or ReplaceWhereDynamicError.
    """
    given = statement.options
    for option in ("replaceon", "replaceusing"):
        if option in given:
            raise UnsupportedWriteError(f"The option {_SPELLED[option]}", "MERGE INTO does what it does.")
    overwrites = statement.mode is WriteMode.OVERWRITE
    options = WriteOptions(
        merge_schema=_boolean(given, "mergeschema"),
        overwrite_schema=bool(_boolean(given, "overwriteschema")),
        replace_where=given.get("replacewhere") if overwrites else None,
        dynamic=_dynamic(given) if overwrites else None,
        data_change=_boolean(given, "datachange") is not False,
        application=application(given.get("txnappid"), given.get("txnversion"), "txnAppId", "txnVersion"),
        user_metadata=given.get("usermetadata"),
        properties=tuple((key, value) for key, value in given.items() if key.startswith("delta.")),
    )
    _refuse_together(options, by_name=statement.by_name)
    return options


def _refuse_together(options: WriteOptions, *, by_name: bool) -> None:
    """Raises what forbids options that exclude each other."""
    if options.merge_schema and not by_name:
        advice = (
            "It goes by position: add columns with saveAsTable() or writeTo(), which go by name, or with "
            "INSERT WITH SCHEMA EVOLUTION."
        )
        raise UnsupportedWriteError("insertInto() with mergeSchema", advice)
    if options.dynamic and options.replace_where is not None:
        raise ReplaceWhereDynamicError
    if options.dynamic and options.overwrite_schema:
        raise OverwriteSchemaDynamicError


def _dynamic(given: Mapping[str, str]) -> bool | None:
    mode = given.get("partitionoverwritemode")
    if mode is None:
        return None
    if mode.lower() not in {"static", "dynamic"}:
        raise IllegalOptionError("partitionOverwriteMode", repr(mode), "'static' or 'dynamic'")
    return mode.lower() == "dynamic"


def _boolean(given: Mapping[str, str], option: str) -> bool | None:
    text = given.get(option)
    if text is None:
        return None
    if text.lower() not in {"true", "false"}:
        raise IllegalOptionError(_SPELLED[option], repr(text), "true or false")
    return text.lower() == "true"


_SPELLED = {
    "mergeschema": "mergeSchema",
    "overwriteschema": "overwriteSchema",
    "datachange": "dataChange",
    "replaceon": "replaceOn",
    "replaceusing": "replaceUsing",
}
