"""The exceptions of Delta's Python package, as names of the errors that a lost race raises here."""

from __future__ import annotations

from deltasql.errors.concurrency import ConcurrentAppendError as ConcurrentAppendException
from deltasql.errors.concurrency import ConcurrentDeleteDeleteError as ConcurrentDeleteDeleteException
from deltasql.errors.concurrency import ConcurrentDeleteReadError as ConcurrentDeleteReadException
from deltasql.errors.concurrency import ConcurrentModificationError as DeltaConcurrentModificationException
from deltasql.errors.concurrency import ConcurrentTransactionError as ConcurrentTransactionException
from deltasql.errors.concurrency import ConcurrentWriteError as ConcurrentWriteException
from deltasql.errors.concurrency import MetadataChangedError as MetadataChangedException
from deltasql.errors.concurrency import ProtocolChangedError as ProtocolChangedException

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
