"""The storage of a location without a session, with credentials from the environment."""

from __future__ import annotations

from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import Stores

_OF_ENVIRONMENT = Stores()


def open_store(location: str) -> LogStore:
    """The storage of the table at `location`: an absolute local path or a URL.

    Credentials come from the environment, as obstore documents. Raises UnsupportedLocationError.
    """
    return _OF_ENVIRONMENT.open(location)
