"""Every way in which deltasql says no: one class per condition, one base class for all of them.

One module per subject: here for what several rooms raise, in `statements` for what belongs to one family of them.
Callers catch `DeltaSqlError`, or look at `error.condition`. Condition names and SQLSTATEs are Delta's and Spark's own,
so that tests and callers written against those engines keep working.
"""

from deltasql.base.errors.base import Caret, DeltaSqlError, condition
from deltasql.base.errors.concurrency import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    MetadataChangedError,
    ProtocolChangedError,
)

__all__ = [
    "Caret",
    "ConcurrentAppendError",
    "ConcurrentDeleteDeleteError",
    "ConcurrentDeleteReadError",
    "ConcurrentModificationError",
    "ConcurrentTransactionError",
    "ConcurrentWriteError",
    "DeltaSqlError",
    "MetadataChangedError",
    "ProtocolChangedError",
    "condition",
]
