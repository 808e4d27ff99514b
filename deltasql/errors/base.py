"""The base class of all errors: see `deltasql.base.errors.base`."""

from deltasql.base import Caret, DeltaSqlError, condition

__all__ = ["Caret", "DeltaSqlError", "condition"]
