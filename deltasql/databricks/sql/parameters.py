"""The typed parameters of `databricks.sql.parameters`.

Objects of the original connector are accepted as well: those with `name`, `value` and `CAST_EXPR`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

__all__ = [
    "ArrayParameter",
    "BigIntegerParameter",
    "BooleanParameter",
    "DateParameter",
    "DbsqlParameterBase",
    "DecimalParameter",
    "DoubleParameter",
    "FloatParameter",
    "IntegerParameter",
    "MapParameter",
    "SmallIntParameter",
    "StringParameter",
    "TimestampNTZParameter",
    "TimestampParameter",
    "TinyIntParameter",
    "VoidParameter",
]


class DbsqlParameterBase:
    """A value for `?`, or for `:name` if it has a name; its text is cast to `CAST_EXPR`."""

    CAST_EXPR: ClassVar[str] = "STRING"

    def __init__(self, value: Any, name: str | None = None) -> None:
        self.value, self.name = value, name

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name}, value={self.value})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class StringParameter(DbsqlParameterBase):
    CAST_EXPR = "STRING"


class IntegerParameter(DbsqlParameterBase):
    CAST_EXPR = "INT"


class BigIntegerParameter(DbsqlParameterBase):
    CAST_EXPR = "BIGINT"


class SmallIntParameter(DbsqlParameterBase):
    CAST_EXPR = "SMALLINT"


class TinyIntParameter(DbsqlParameterBase):
    CAST_EXPR = "TINYINT"


class BooleanParameter(DbsqlParameterBase):
    CAST_EXPR = "BOOLEAN"


class DateParameter(DbsqlParameterBase):
    CAST_EXPR = "DATE"


class DoubleParameter(DbsqlParameterBase):
    CAST_EXPR = "DOUBLE"


class FloatParameter(DbsqlParameterBase):
    CAST_EXPR = "FLOAT"


class TimestampParameter(DbsqlParameterBase):
    CAST_EXPR = "TIMESTAMP"


class TimestampNTZParameter(DbsqlParameterBase):
    """A time without a zone: a zone of the value is dropped."""

    CAST_EXPR = "TIMESTAMP_NTZ"


class VoidParameter(DbsqlParameterBase):
    CAST_EXPR = "VOID"


class ArrayParameter(DbsqlParameterBase):
    CAST_EXPR = "ARRAY"


class MapParameter(DbsqlParameterBase):
    CAST_EXPR = "MAP"


class DecimalParameter(DbsqlParameterBase):
    """A decimal of `scale` digits, `precision` of them after the point: the connector swaps these terms.

    Without them the type has as many digits as the value. Raises ValueError if only one is given.
    """

    CAST_EXPR = "DECIMAL({},{})"

    def __init__(
        self, value: Decimal, name: str | None = None, scale: int | None = None, precision: int | None = None
    ) -> None:
        super().__init__(value, name)
        if (scale is None) != (precision is None):
            raise ValueError("DecimalParameter takes both scale and precision, or neither.")
        self.scale, self.precision = scale, precision
