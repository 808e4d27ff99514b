"""Fixtures that classes of dbt's suite leave to adapters."""

from __future__ import annotations

from typing import ClassVar

import pytest


class SparkTypes:
    """Types in contracts: in the model's SQL, in its properties, and in messages."""

    TYPES: ClassVar[tuple[tuple[str, str], ...]] = (
        ("1", "int"),
        ("'1'", "string"),
        ("true", "boolean"),
        ("cast('2019-01-01' as date)", "date"),
        ("timestamp'2013-11-03 00:00:00'", "timestamp"),
        ("array('a', 'b')", "array<string>"),
        ("cast(1 as decimal(10, 2))", "decimal(10,2)"),
    )

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [[value, kind, kind] for value, kind in self.TYPES]


OVERRIDES: dict[str, type] = {
    "BaseTableConstraintsColumnsEqual": SparkTypes,
    "BaseViewConstraintsColumnsEqual": SparkTypes,
    "BaseIncrementalConstraintsColumnsEqual": SparkTypes,
}
