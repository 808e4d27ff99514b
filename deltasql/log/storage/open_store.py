"""Which storage a location is in."""

from __future__ import annotations

from obstore import exceptions
from obstore.store import MemoryStore, from_url

from deltasql.errors.log import UnsupportedLocationError
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore, storage_reason
from deltasql.log.storage.paths import is_local, local_path

# What stays in memory is one store per process, so that two sessions see the same tables.
_MEMORY = MemoryStore()


def open_store(location: str) -> LogStore:
    """The storage of the table at `location`: an absolute local path or a URL.

    Credentials come from the environment, as obstore documents. Raises UnsupportedLocationError.
    """
    if is_local(location):
        return LocalLogStore(local_path(location))
    if location.startswith("memory:"):
        return LogStore(location.rstrip("/"), _MEMORY, location.partition(":")[2].strip("/"))
    try:
        return LogStore(location.rstrip("/"), from_url(location), "")
    except (exceptions.BaseError, ValueError) as error:
        relative = ":" not in location
        reason = "it is relative; write the whole path, as /data/t" if relative else storage_reason(error)
        raise UnsupportedLocationError(location, reason) from error
