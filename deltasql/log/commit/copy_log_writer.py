"""What COPY INTO notes of the files that it loads, before the commit by which the note counts."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.log.actions.actions import SetTransaction
from deltasql.log.reading.copy_log import LoadedFiles, encoded, part_path, transaction
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.source_files import ListedFile


def put_part(
    store: LogStore, table_id: str, newest: int, known: LoadedFiles, files: Sequence[ListedFile]
) -> tuple[SetTransaction, str]:
    """Writes a part that adds `files` to `known`: the action by which it counts, and its path.

    `newest` is the number of the newest part that counts. A number that is taken is that of a writer which is still at
    work, or has not come to its commit: such a part never counts, and clean-up of the log removes it.
    Raises StorageError.
    """
    number = newest + 1
    while not store.put_if_absent(part_path(number), encoded(known.with_files(files, number), table_id)):
        number += 1
    return transaction(number), part_path(number)
