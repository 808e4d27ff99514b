"""Columns of a classic session, whose tree is in the JVM: `org.apache.spark.sql.internal.ColumnNode`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from deltasql.base import errors
from deltasql.session.frames.columns import texts
from deltasql.session.frames.columns.texts import Owner

_ATTRIBUTE = "AttributeReference"


class ClassicColumns:
    """Writes the SQL of Columns; `owner` is asked by the number of an attribute (`exprId`)."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._writers: Mapping[str, Callable[[Any], str]] = {
            "Literal": self._literal,
            "UnresolvedAttribute": self._attribute,
            "UnresolvedFunction": self._call,
            "SqlExpression": lambda node: f"({texts.one_expression(node.expression())})",
            "Alias": lambda node: self.sql(node.child()),
            "Cast": self._cast,
            "CaseWhenOtherwise": self._case,
            "UnresolvedExtractValue": self._extracted,
            "ExpressionColumnNode": self._bound,
        }

    def sql(self, node: Any) -> str:
        """SQL of a node. Raises UnsupportedColumnError, ForeignColumnError."""
        kind = str(node.getClass().getSimpleName())
        if kind not in self._writers:
            raise errors.UnsupportedColumnError(str(node.sql()), f"{kind} is not supported")
        return self._writers[kind](node)

    def _literal(self, node: Any) -> str:
        value = node.value()
        if node.dataType().isDefined() and value is not None:
            raise errors.UnsupportedColumnError(str(node.sql()), "the literal has a type that only Spark knows")
        return texts.literal(_python(value) if hasattr(value, "getClass") else value)

    def _attribute(self, node: Any) -> str:
        if node.isMetadataColumn() or node.planId().isDefined():
            raise errors.UnsupportedColumnError(str(node.sql()), "it is a metadata column, or bound to a plan")
        return texts.attribute(_items(node.nameParts()))

    def _call(self, node: Any) -> str:
        name = str(node.functionName())
        if node.isUserDefinedFunction() or node.isInternal():
            raise errors.UnsupportedColumnError(f"{name}(…)", "the function is none that SQL calls by this name")
        arguments = [self._argument(item) for item in _items(node.arguments())]
        return texts.call(name, arguments, distinct=bool(node.isDistinct()))

    def _argument(self, node: Any) -> str:
        """An argument of a call, with its alias, which names the field of a struct."""
        if str(node.getClass().getSimpleName()) != "Alias":
            return self.sql(node)
        names = _items(node.name())
        return f"{self.sql(node.child())} AS {texts.attribute(names)}"

    def _cast(self, node: Any) -> str:
        attempted = str(node.sql()).startswith("TRY_CAST(")
        return texts.cast(self.sql(node.child()), str(node.dataType().sql()), attempted=attempted)

    def _case(self, node: Any) -> str:
        branches = [(self.sql(pair._1()), self.sql(pair._2())) for pair in _items(node.branches())]
        last = node.otherwise()
        return texts.case(branches, self.sql(last.get()) if last.isDefined() else None)

    def _extracted(self, node: Any) -> str:
        key = node.extraction()
        value = key.value() if str(key.getClass().getSimpleName()) == "Literal" else None
        return texts.extracted(self.sql(node.child()), value, self.sql(key))

    def _bound(self, node: Any) -> str:
        expression = node.expression()
        kind = str(expression.getClass().getSimpleName())
        if kind != _ATTRIBUTE:
            raise errors.UnsupportedColumnError(str(node.sql()), f"{kind} is not supported")
        return texts.bound_attribute((str(expression.name()),), int(expression.exprId().id()), self._owner)


def attributes_of(frame: Any) -> set[int]:
    """The numbers of the attributes of a DataFrame."""
    return {int(item.exprId().id()) for item in _items(frame._jdf.queryExecution().analyzed().output())}


def alias_of(frame: Any) -> str | None:
    """The alias of a DataFrame, or the name of the table that it is."""
    plan = frame._jdf.queryExecution().analyzed()
    return str(plan.alias()) if str(plan.getClass().getSimpleName()) == "SubqueryAlias" else None


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _python(value: Any) -> Any:
    """A value of the JVM that Py4J hands over as an object."""
    kind = str(value.getClass().getName())
    if kind in {"java.sql.Date", "java.time.LocalDate"}:
        return date.fromisoformat(str(value.toString()))
    if kind == "java.sql.Timestamp":
        instant = value.toInstant()
        return texts.instant(instant.getEpochSecond() * 1_000_000 + instant.getNano() // 1000)
    if kind == "java.time.LocalDateTime":
        return datetime.fromisoformat(str(value.toString()))
    if kind == "java.time.Duration":
        return timedelta(microseconds=value.toNanos() // 1000)
    raise errors.UnsupportedColumnError(str(value.toString()), f"{kind} has no literal")
