"""Probes whether a store creates an object only once, before the first commit of a process there.

The probe's objects lie beside the table's commits, where the same permissions hold, under names that begin with a dot:
those sort before all commits, and readers ignore them. They are removed; one that a crash has left is harmless.
"""

from __future__ import annotations

import secrets
import threading
from contextlib import suppress

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import StorageError, UnsafeStoreError
from deltasql.log.storage.locations import LOG
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.patience import is_unknown_operation

WRITERS = 8
"""Threads that create the same object at once, in each round."""
ROUNDS = 3
"""Rounds of the race: a store that checks first and writes later lets several win in most rounds, not in all."""

_BYTES = 16 << 10
"""Size of an object of the race: with an empty one, such a store would be found half as often."""

_findings: dict[str, str | None] = {}
_asking = threading.Lock()


def require_one_winner(store: LogStore) -> None:
    """Raises UnsafeStoreError for a store that creates an object twice, StorageError if the probe fails.

    Each bucket is probed once per process: at most 2 + WRITERS x ROUNDS puts and one bulk delete.
    """
    name = store.shared
    if name is None:
        return
    with _asking:
        if name not in _findings:
            _findings[name] = _finding(store)
        finding = _findings[name]
    if finding is not None:
        raise UnsafeStoreError(name, finding)


def _finding(store: LogStore) -> str | None:
    """The defect of the store, for a message; None if none was found. Raises StorageError."""
    mark = f"{LOG}/.probe-{secrets.token_hex(8)}"
    paths = [f"{mark}-{number}" for number in range(ROUNDS + 1)]
    try:
        return _repeated(store, paths[0]) or next(filter(None, (_raced(store, path) for path in paths[1:])), None)
    finally:
        # Objects left behind are harmless.
        with suppress(DeltaSqlError):
            store.delete_all(paths)


def _repeated(store: LogStore, path: str) -> str | None:
    try:
        if not store.put_if_absent(path, b"first"):
            return "it says of an object with a new name that it is there already"
        if store.put_if_absent(path, b"second"):
            return "it does not heed the condition of a conditional put (If-None-Match: *) and replaces what is there"
    except StorageError as error:
        if is_unknown_operation(error.__cause__):
            return f"it has no conditional put (If-None-Match: *): {error.reason}"
        raise
    return None


def _raced(store: LogStore, path: str) -> str | None:
    start, winners = threading.Barrier(WRITERS), []

    def create(number: int) -> None:
        start.wait()
        # A writer that is rejected too often has not won.
        with suppress(DeltaSqlError):
            if store.put_if_absent(path, b"%d" % number * _BYTES):
                winners.append(number)

    threads = [threading.Thread(target=create, args=(number,), daemon=True) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(winners) < 2:
        return None
    return f"of {WRITERS} writers that created one object at once it told {len(winners)} that they had"
