"""Columns of Spark Connect, whose tree is in this process: the expressions that PySpark sends to the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from deltasql.base.errors.statements.frames import UnsupportedColumnError
from deltasql.session.frames.columns import texts
from deltasql.session.frames.columns.texts import Owner


class ConnectColumns:
    """Writes the SQL of Columns; `owner` is asked by the number of a plan."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._writers: Mapping[str, Callable[[Any], str]] = {
            "LiteralExpression": self._literal,
            "ColumnReference": self._attribute,
            "UnresolvedFunction": self._call,
            "SQLExpression": lambda node: f"({texts.one_expression(node._expr)})",
            "ColumnAlias": lambda node: self.sql(node._child),
            "CastExpression": self._cast,
            "CaseWhen": self._case,
            "UnresolvedExtractValue": self._extracted,
        }

    def sql(self, node: Any) -> str:
        """SQL of a node. Raises UnsupportedColumnError, ForeignColumnError."""
        kind = type(node).__name__
        if kind not in self._writers:
            raise UnsupportedColumnError(str(node), f"{kind} is not supported")
        return self._writers[kind](node)

    def _literal(self, node: Any) -> str:
        value, kind = node._value, node._dataType
        name = type(kind).__name__
        if value is None:
            return "NULL"
        if name not in _LITERALS:
            raise UnsupportedColumnError(str(node), f"{name} has no literal")
        text = texts.literal(_LITERALS[name](value))
        if name == "DecimalType":
            return texts.cast(text, texts.decimal_type(value, kind.precision))
        return texts.cast(text, _NARROW[name]) if name in _NARROW else text

    def _attribute(self, node: Any) -> str:
        name = node._unparsed_identifier
        if node._is_metadata_column:
            raise UnsupportedColumnError(name, "it is a metadata column")
        parts = texts.name_parts(name)
        if node._plan_id is None:
            return texts.attribute(parts)
        return texts.bound_attribute(parts, node._plan_id, self._owner)

    def _call(self, node: Any) -> str:
        arguments = [self._argument(item) for item in node._args]
        return texts.call(node._name, arguments, distinct=bool(node._is_distinct))

    def _argument(self, node: Any) -> str:
        """An argument of a call, with its alias, which names the field of a struct."""
        if type(node).__name__ != "ColumnAlias":
            return self.sql(node)
        return f"{self.sql(node._child)} AS {texts.attribute(node._alias)}"

    def _cast(self, node: Any) -> str:
        mode = node._eval_mode or ""
        return texts.cast(self.sql(node._expr), texts.type_sql(node._data_type), attempted=mode.upper() == "TRY")

    def _case(self, node: Any) -> str:
        branches = [(self.sql(condition), self.sql(value)) for condition, value in node._branches]
        return texts.case(branches, None if node._else_value is None else self.sql(node._else_value))

    def _extracted(self, node: Any) -> str:
        key = node._extraction
        value = key._value if type(key).__name__ == "LiteralExpression" else None
        return texts.extracted(self.sql(node._child), value, self.sql(key))


_LITERALS: Mapping[str, Callable[[Any], Any]] = {
    "BinaryType": bytes,
    "BooleanType": bool,
    "ByteType": int,
    "ShortType": int,
    "IntegerType": int,
    "LongType": int,
    "FloatType": float,
    "DoubleType": float,
    "DecimalType": Decimal,
    "StringType": str,
    "DateType": texts.day,
    "TimestampType": texts.instant,
    "TimestampNTZType": texts.clock,
    "DayTimeIntervalType": texts.elapsed,
}
_NARROW = {"ByteType": "TINYINT", "ShortType": "SMALLINT", "LongType": "BIGINT", "FloatType": "FLOAT"}


def plans_of(frame: Any) -> set[int]:
    """The numbers of the plans by which columns of a DataFrame may be bound: its own, and those under aliases of it."""
    return set(_plans(frame._plan))


def _plans(plan: Any) -> Iterator[int]:
    while plan is not None:
        yield plan._plan_id
        plan = plan._child if type(plan).__name__ == "SubqueryAlias" else None


def alias_of(frame: Any) -> str | None:
    """The alias of a DataFrame."""
    return str(frame._plan._alias) if type(frame._plan).__name__ == "SubqueryAlias" else None
