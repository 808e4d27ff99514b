"""The options of a DataFrame's write, read and checked."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.errors.statements.frames import (
    OverwriteSchemaDynamicError,
    ReplaceWhereDynamicError,
    UnsupportedWriteError,
)
from deltasql.plan.statements.frames import WriteFrame, WriteMode
from deltasql.planner.idempotency import Application, application
from deltasql.settings.frame_options import (
    DATA_CHANGE,
    MERGE_SCHEMA,
    OVERWRITE_MODE,
    OVERWRITE_SCHEMA,
    REPLACE_WHERE,
    TXN_APP_ID,
    TXN_VERSION,
    USER_METADATA,
    Options,
)


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
    given, read = statement.options, Options(statement.options)
    for option in ("replaceOn", "replaceUsing"):
        if option.lower() in given:
            raise UnsupportedWriteError(f"The option {option}", "MERGE INTO does what it does.")
    overwrites = statement.mode is WriteMode.OVERWRITE
    options = WriteOptions(
        merge_schema=read[MERGE_SCHEMA],
        overwrite_schema=read[OVERWRITE_SCHEMA],
        replace_where=read[REPLACE_WHERE] if overwrites else None,
        dynamic=_dynamic(read) if overwrites else None,
        data_change=read[DATA_CHANGE],
        application=application(read[TXN_APP_ID], read[TXN_VERSION], TXN_APP_ID.name, TXN_VERSION.name),
        user_metadata=read[USER_METADATA],
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


def _dynamic(options: Options) -> bool | None:
    mode = options[OVERWRITE_MODE]
    return None if mode is None else mode == "dynamic"
