"""The storages of a session: local folders, and buckets that are reached with its credentials."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from obstore import exceptions
from obstore.store import MemoryStore, from_url

from deltasql.base.errors.log import UnsupportedLocationError
from deltasql.base.lazy import pa
from deltasql.log.storage.credentials import (
    KEYS,
    Lent,
    hadoop_settings,
    lends_for,
    long_names,
    of_environment,
    options_of,
    provider,
)
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import folder_and_name, hadoop_scheme, is_local, local_path, scheme, table_location
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.patience import ONCE, storage_reason

# One in-memory store per process, so that two sessions see the same tables.
_MEMORY = MemoryStore()

_HADOOP_ONLY = frozenset({"hdfs", "viewfs", "dbfs", "o3fs", "ofs", "oss", "cosn", "wasb", "wasbs"})
"""File systems that Hadoop supports and obstore does not: without put-if-absent, commits would be unsafe."""


class Stores:
    """Opens the storage of a location. Every bucket is opened once, so that its connections are reused.

    `options` are obstore's, under any of their names (`aws_access_key_id`). Missing ones come from the settings of a
    Spark session that was handed in (`hadoop`, called when a bucket is first opened), else from the environment.
    """

    def __init__(
        self, options: Mapping[str, str] | None = None, hadoop: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self._options = dict(options or {})
        self._hadoop = hadoop
        self._buckets: dict[str, Any] = {}
        self.lender: Callable[[str], Lent | None] = _lends_nothing
        """The lender of credentials for a location, in place of those of the session."""
        self.local_folders: tuple[str, ...] | None = None
        """The folders of this machine whose files PUT and GET may use; None: all."""

    def open(self, location: str, access: Mapping[str, str] | None = None) -> LogStore:
        """The storage of the table at `location`: an absolute local path or a URL. Raises UnsupportedLocationError.

        `access` are options for this location alone, which override those of the session.
        """
        if access:
            return Stores({**self._options, **access}, self._hadoop).open(location)
        store = self._opened(location)
        store.at = self.open
        return store

    def _opened(self, location: str) -> LogStore:
        if "\0" in location:
            raise UnsupportedLocationError(location.replace("\0", "\\0"), "it has a NUL character")
        if is_local(location):
            return LocalLogStore(local_path(location))
        root = table_location(location)
        if scheme(root) == "memory":
            return LogStore(root, _MEMORY, root.partition(":")[2].strip("/"))
        bucket, prefix = _parts(root)
        return LogStore(root, self._bucket(bucket, root, self._lent(root)), prefix)

    def refusal_of_local(self, path: str) -> str | None:
        """Why PUT and GET may not use the local file at an absolute path, links resolved; None where they may."""
        if self.local_folders is None:
            return None
        if not self.local_folders:
            return "the session allows no local files"
        real = os.path.realpath(path)
        folders = [os.path.realpath(folder) for folder in self.local_folders]
        if any(os.path.commonpath((real, folder)) == folder for folder in folders):
            return None
        return f"the session allows files of {', '.join(self.local_folders)} alone"

    def open_file(self, location: str) -> pa.NativeFile:
        """The file at an absolute location, for pyarrow. Raises FileNotFoundError, StorageError."""
        store, name = self.of_file(location)
        return store.open_input(name)

    def of_file(self, location: str) -> tuple[LogStore, str]:
        """The store of the folder of the file at an absolute location, and the file's name there."""
        folder, name = folder_and_name(location)
        return self.open(folder), name

    def is_lent(self, location: str) -> bool:
        """Whether the credentials for a location are lent, and so are those of one table alone."""
        return self._lent(location) is not None

    def lent_settings(self, location: str) -> dict[str, str]:
        """Hadoop's settings with the credentials that are lent for a location; empty where none are.

        They expire, and are only for work on this table that begins now.
        """
        lent = self._lent(location)
        if lent is None:
            return {}
        others = _without_keys({**of_environment(os.environ, location), **self._store_options(location)})
        return hadoop_settings(location, {**others, **lent.options(unattended=True)[0]})

    def _lent(self, location: str) -> Lent | None:
        """The credentials that are lent for a location, if the lender has some. Raises a DeltaSqlError."""
        lent = self.lender(location) if lends_for(location) else None
        return lent if lent is not None and lent.options()[0] else None

    @property
    def hadoop_schemes(self) -> frozenset[str]:
        """Hadoop's schemes of the buckets that were opened."""
        return frozenset(map(hadoop_scheme, self._buckets))

    def hadoop_settings(self, location: str) -> dict[str, str]:
        """Hadoop's settings for a location that are equivalent to this session's options; empty for a local one."""
        if is_local(location):
            return {}
        return hadoop_settings(location, {**of_environment(os.environ, location), **self._store_options(location)})

    def _store_options(self, location: str) -> dict[str, str]:
        return {**options_of(location, self._hadoop()), **self._options}

    def _bucket(self, url: str, location: str, lent: Lent | None = None) -> Any:
        """The root of a bucket or container that a location is in. Raises UnsupportedLocationError."""
        name = url if lent is None else f"{url}/{lent.name}"
        if name in self._buckets:
            return self._buckets[name]
        if scheme(url) in _HADOOP_ONLY:
            reason = "only Hadoop knows this file system, and it offers no safe commit"
            raise UnsupportedLocationError(location, reason)
        options = self._store_options(url)
        endpoint = long_names({**of_environment(os.environ, url), **options}).get("aws_endpoint", "")
        if scheme(url) == "s3" and endpoint and not _ADDRESS.match(endpoint):
            # The client would panic with its first request.
            raise UnsupportedLocationError(location, "its endpoint is no address such as https://host:9000")
        try:
            arguments = _arguments(options) if lent is None else _with_lent(options, location, lent)
            opened = from_url(url, retry_config=ONCE, **arguments)
        except (exceptions.BaseError, ValueError, TypeError) as error:
            relative = ":" not in url
            reason = "it is relative; write the whole path, as /data/t" if relative else storage_reason(error)
            raise UnsupportedLocationError(location, reason) from error
        return self._buckets.setdefault(name, opened)


def _lends_nothing(location: str) -> Lent | None:
    return None


_ADDRESS = re.compile(r"https?://[^/\s]+", re.IGNORECASE)
_CLIENT = frozenset(
    {"allow_http", "allow_invalid_certificates", "connect_timeout", "timeout", "proxy_url", "user_agent"}
)
"""Options of the HTTP client, for all storages."""


def _arguments(options: Mapping[str, str]) -> dict[str, Any]:
    """obstore's arguments for some options. Options of the environment are read by obstore itself."""
    names = {name: name.lower().removeprefix("aws_") for name in options}
    client = {names[name]: value for name, value in options.items() if names[name] in _CLIENT}
    config = {name: value for name, value in options.items() if names[name] not in _CLIENT}
    return {key: value for key, value in (("config", config), ("client_options", client)) if value}


def _with_lent(options: Mapping[str, str], location: str, lent: Lent) -> dict[str, Any]:
    """obstore's arguments for some options, of which lent credentials replace those on the client's identity."""
    return {**_arguments(_without_keys(options)), "credential_provider": provider(location, lent)}


def _without_keys(options: Mapping[str, str]) -> dict[str, str]:
    """Options, under their long names, without those on the client's identity."""
    return {key: value for key, value in long_names(options).items() if key not in KEYS}


def _parts(location: str) -> tuple[str, str]:
    """The URL of the bucket, and the path in it."""
    if "://" not in location:
        return location, ""
    # Not as a URL: `?` and `#` are characters of a name like any other.
    kind, _, rest = location.partition("://")
    bucket, _, path = rest.partition("/")
    return f"{kind}://{bucket}", path.strip("/")
