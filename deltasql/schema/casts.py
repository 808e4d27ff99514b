"""Which casts lose nothing. Source: Spark's up-casts, the only ones of the STRICT store-assignment policy."""

from __future__ import annotations

from deltasql.schema.types import DataType, DecimalType, PrimitiveType

_WIDTHS = {"byte": 0, "short": 1, "integer": 2, "long": 3, "float": 4, "double": 5}
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}


def can_up_cast(source: DataType, target: DataType) -> bool:
    """Whether every value of `source` is a value of `target`, as far as Spark is concerned."""
    match source, target:
        case _ if source == target:
            return True
        case PrimitiveType("void"), _:
            return True
        case PrimitiveType(old), PrimitiveType("string"):
            return old not in {"binary", "variant"}
        case DecimalType(), PrimitiveType("string"):
            return True
        case DecimalType(p, s), DecimalType(p2, s2):
            return p2 - s2 >= p - s and s2 >= s
        case PrimitiveType(old), DecimalType(p2, s2) if old in _DIGITS:
            return p2 - s2 >= _DIGITS[old]
        case PrimitiveType(old), PrimitiveType(new) if old in _WIDTHS and new in _WIDTHS:
            return _WIDTHS[old] < _WIDTHS[new]
        case PrimitiveType("date"), PrimitiveType("timestamp" | "timestamp_ntz"):
            return True
        case PrimitiveType("timestamp" | "timestamp_ntz"), PrimitiveType("timestamp" | "timestamp_ntz"):
            return True
        case _:
            return False
