"""Every way in which deltasql says no: one class per condition, one base class for all of them.

Each family has its own module; import from here. Condition names and SQLSTATEs are Delta's and Spark's own, so that
tests and callers written against those engines keep working.
"""

from deltasql.errors.base import Caret, DeltaSqlError, condition

__all__ = ["Caret", "DeltaSqlError", "condition"]
