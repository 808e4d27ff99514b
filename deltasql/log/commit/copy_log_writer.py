"""Writes the list of files that COPY INTO loads, before the commit that makes the list valid."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.log.actions.actions import SetTransaction
from deltasql.log.reading.copy_log import LoadedFiles, encoded, part_path, transaction
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.source_files import ListedFile


def put_part(
    store: LogStore, table_id: str, newest: int, loaded: LoadedFiles, files: Sequence[ListedFile]
) -> tuple[SetTransaction, str]:
    """Writes a part that adds `files` to `loaded`; returns the txn action that makes it valid, and its path.

    `newest` is the number of the newest valid part. A higher number that exists is of a writer that has not committed,
    or never will: such a part never becomes valid, and clean-up of the log removes it.
    Raises StorageError.
    """
    number = newest + 1
    while not store.put_if_absent(part_path(number), encoded(loaded.with_files(files, number), table_id)):
        number += 1
    return transaction(number), part_path(number)
