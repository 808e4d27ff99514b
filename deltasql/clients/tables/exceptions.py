"""The exceptions of Delta's Python package, as names of the errors that a lost race raises here."""

from __future__ import annotations

from deltasql.base.errors.concurrency import ConcurrentAppendError as ConcurrentAppendException
from deltasql.base.errors.concurrency import ConcurrentDeleteDeleteError as ConcurrentDeleteDeleteException
from deltasql.base.errors.concurrency import ConcurrentDeleteReadError as ConcurrentDeleteReadException
from deltasql.base.errors.concurrency import ConcurrentModificationError as DeltaConcurrentModificationException
from deltasql.base.errors.concurrency import ConcurrentTransactionError as ConcurrentTransactionException
from deltasql.base.errors.concurrency import ConcurrentWriteError as ConcurrentWriteException
from deltasql.base.errors.concurrency import MetadataChangedError as MetadataChangedException
from deltasql.base.errors.concurrency import ProtocolChangedError as ProtocolChangedException

__all__ = [
    "ConcurrentAppendException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentDeleteReadException",
    "ConcurrentTransactionException",
    "ConcurrentWriteException",
    "DeltaConcurrentModificationException",
    "MetadataChangedException",
    "ProtocolChangedException",
]
