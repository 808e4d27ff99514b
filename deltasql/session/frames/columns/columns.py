"""The SQL of a Column, whichever kind of session it comes from."""

from __future__ import annotations

from typing import Any

from deltasql.session.frames.columns import classic, texts
from deltasql.session.frames.columns.classic import ClassicColumns
from deltasql.session.frames.columns.texts import ConnectColumns, Owner


def is_column(value: Any) -> bool:
    """Whether an object is a Column of PySpark."""
    return type(value).__name__ == "Column" and (hasattr(value, "_jc") or hasattr(value, "_expr"))


def column_sql(column: Any, owner: Owner | None = None) -> str:
    """An SQL expression with the meaning of a Column; its alias is left out.

    `owner` gives the alias for columns that are bound to a DataFrame; None: they are called by their names alone.
    Raises UnsupportedColumnError, ForeignColumnError.
    """
    owned = owner or (lambda _: None)
    if hasattr(column, "_jc"):
        return ClassicColumns(owned).sql(column._jc.node())
    return ConnectColumns(owned).sql(column._expr)


def origins(frame: Any) -> set[int]:
    """The numbers by which Columns are bound to a DataFrame."""
    return classic.attributes_of(frame) if hasattr(frame, "_jdf") else texts.plans_of(frame)


def frame_alias(frame: Any) -> str | None:
    """The alias of a DataFrame, None without one."""
    return classic.alias_of(frame) if hasattr(frame, "_jdf") else texts.alias_of(frame)
