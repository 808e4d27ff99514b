"""Packages that are imported when they are first used: a statement on metadata needs none of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias


class LazyModule:
    """A module that is imported when the first of its attributes is asked for."""

    def __init__(self, name: str) -> None:
        self.module = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self.module), attribute)
        # The next time it is found without this method.
        setattr(self, attribute, value)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyModule, (self.module,)


if TYPE_CHECKING:
    from importlib import metadata

    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    import sqlglot
    from pyspark.sql import functions as F
    from sqlglot import expressions as exp
else:
    metadata = LazyModule("importlib.metadata")
    np = LazyModule("numpy")
    pa = LazyModule("pyarrow")
    pc = LazyModule("pyarrow.compute")
    pq = LazyModule("pyarrow.parquet")
    sqlglot = LazyModule("sqlglot")
    F = LazyModule("pyspark.sql.functions")
    exp = LazyModule("sqlglot.expressions")

Numbers: TypeAlias = "np.ndarray[Any, Any]"

__all__ = ["F", "Numbers", "exp", "metadata", "np", "pa", "pc", "pq", "sqlglot"]
