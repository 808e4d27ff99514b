"""The options of a DataFrame's write, read and checked."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.base.errors.statements.frames import (
    IncompatibleOptionsError,
    OverwriteSchemaDynamicError,
    ReplaceByDefinitionError,
    ReplaceByFilterError,
    ReplaceDynamicError,
    ReplaceWhereDynamicError,
    UnsupportedWriteError,
)
from deltasql.files.frame_options import (
    COMPRESSION,
    DATA_CHANGE,
    IGNORE_NULL_PARTITIONS,
    MERGE_SCHEMA,
    MOST_ROWS,
    OPTIMIZES,
    OVERWRITE_MODE,
    OVERWRITE_SCHEMA,
    REPLACE_ON,
    REPLACE_USING,
    REPLACE_WHERE,
    TARGET_ALIAS,
    TXN_APP_ID,
    TXN_VERSION,
    USER_METADATA,
    Options,
)
from deltasql.plan.base import ColumnPath, SqlText
from deltasql.plan.operators import FileShape
from deltasql.statements.idempotency import Application, application
from deltasql.statements.nodes.frames import WriteFrame, WriteMode
from deltasql.statements.nodes.insert import ReplaceOn, Replaces, ReplaceUsing, ReplaceWhere


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The parsed options of one write; None for an option that is not given."""

    merge_schema: bool | None
    overwrite_schema: bool
    replaces: Replaces | None
    target_alias: str | None
    ignores_null: bool
    dynamic: bool | None
    data_change: bool
    application: Application | None
    user_metadata: str | None
    properties: tuple[tuple[str, str], ...]

    @property
    def replace_where(self) -> str | None:
        """The predicate of replaceWhere."""
        return self.replaces.predicate.text if isinstance(self.replaces, ReplaceWhere) else None


def write_options(statement: WriteFrame) -> WriteOptions:
    """The options of a write.

    Raises IllegalOptionError, InvalidIdempotentWriteError, UnsupportedWriteError, and for two that exclude each other
    OverwriteSchemaDynamicError or ReplaceWhereDynamicError.
    """
    texts, read = statement.options, Options(statement.options)
    overwrites = statement.mode is WriteMode.OVERWRITE
    _refuse_beside_replacement(statement, read)
    options = WriteOptions(
        merge_schema=read[MERGE_SCHEMA],
        overwrite_schema=read[OVERWRITE_SCHEMA],
        replaces=_replaces(read) if overwrites else None,
        target_alias=read[TARGET_ALIAS] if overwrites and read[REPLACE_ON] is not None else None,
        ignores_null=read[IGNORE_NULL_PARTITIONS],
        dynamic=_dynamic(read) if overwrites else None,
        data_change=read[DATA_CHANGE],
        application=application(read[TXN_APP_ID], read[TXN_VERSION], TXN_APP_ID.name, TXN_VERSION.name),
        user_metadata=read[USER_METADATA],
        properties=tuple((key, value) for key, value in texts.items() if key.startswith("delta.")),
    )
    _refuse_together(options, by_name=statement.by_name)
    return options


def file_shape(statement: WriteFrame) -> FileShape:
    """The shape of the files that a write makes. Raises IllegalOptionError."""
    read = Options(statement.options)
    return FileShape(read[COMPRESSION], read[MOST_ROWS], read[OPTIMIZES])


def _refuse_together(options: WriteOptions, *, by_name: bool) -> None:
    """Raises UnsupportedWriteError, ReplaceWhereDynamicError or OverwriteSchemaDynamicError for options in conflict."""
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


def _replaces(read: Options) -> Replaces | None:
    """The parsed replaceUsing, replaceOn or replaceWhere; None without any. Raises IllegalOptionError."""
    predicate, using, on = read[REPLACE_WHERE], read[REPLACE_USING], read[REPLACE_ON]
    if using is not None:
        names = {name.lower(): ColumnPath((name,)) for name in using}
        return ReplaceUsing(tuple(names.values()))
    if on is not None:
        return ReplaceOn(SqlText(on, 0))
    return None if predicate is None else ReplaceWhere(SqlText(predicate, 0))


def _refuse_beside_replacement(statement: WriteFrame, read: Options) -> None:
    """Raises the error of another option or mode that replaceUsing and replaceOn exclude."""
    replacing = [option.name for option in (REPLACE_USING, REPLACE_ON) if option.name.lower() in read.texts]
    if not replacing:
        return
    if statement.mode in {WriteMode.REPLACE, WriteMode.CREATE_OR_REPLACE}:
        raise ReplaceByDefinitionError(replacing[0])
    if statement.mode is not WriteMode.OVERWRITE:
        return
    if len(replacing) > 1:
        raise IncompatibleOptionsError(*replacing)
    if read[REPLACE_WHERE] is not None:
        raise ReplaceByFilterError(replacing[0])
    if read[OVERWRITE_MODE] == "dynamic":
        raise ReplaceDynamicError(replacing[0])
    if read[OVERWRITE_SCHEMA]:
        raise IncompatibleOptionsError(OVERWRITE_SCHEMA.name, replacing[0])
    if not read[DATA_CHANGE]:
        raise IncompatibleOptionsError(DATA_CHANGE.name, replacing[0])


def _dynamic(options: Options) -> bool | None:
    mode = options[OVERWRITE_MODE]
    return None if mode is None else mode == "dynamic"
