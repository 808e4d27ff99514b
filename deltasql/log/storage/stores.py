"""The storages of a session and their credentials, and the probe of a store before the first commit.

Credentials are translated between obstore, which reads the log, and Hadoop's connectors, which Spark uses. Options are
obstore's: names such as `aws_access_key_id`, in lower case. Settings are Hadoop's, such as `fs.s3a.access.key`, without
Spark's `spark.hadoop.` before them. A catalog may lend credentials for the storage of one table for a while. Without a
session credentials come from the environment.
Source: obstore, S3Config, AzureConfig, GCSConfig; Hadoop 3.5, S3A, ABFS; Google's connector, CONFIGURATION.

The probe checks that a store creates an object only once. Its objects lie beside the table's commits, where the same
permissions hold, under names that begin with a dot: those sort before all commits, and readers ignore them. They are
removed; one that a crash has left is harmless.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from obstore import exceptions
from obstore.store import MemoryStore, from_url

from deltasql.base import DeltaSqlError, errors, pa
from deltasql.log.storage.listing import (
    LOG,
    folder_and_name,
    hadoop_scheme,
    is_local,
    local_path,
    scheme,
    table_location,
)
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import ONCE, LogStore, is_unknown_operation, storage_reason

_S3A = {
    "access.key": "aws_access_key_id",
    "secret.key": "aws_secret_access_key",
    "session.token": "aws_session_token",
    "endpoint.region": "aws_region",
    "endpoint": "aws_endpoint",
}
"""Settings of S3A, after `fs.s3a.` or `fs.s3a.bucket.<bucket>.`, with the one option that each corresponds to."""

_SHORT = {
    "access_key_id": "aws_access_key_id",
    "secret_access_key": "aws_secret_access_key",
    "session_token": "aws_session_token",
    "token": "aws_session_token",
    "aws_token": "aws_session_token",
    "region": "aws_region",
    "default_region": "aws_region",
    "aws_default_region": "aws_region",
    "endpoint": "aws_endpoint",
    "endpoint_url": "aws_endpoint",
    "aws_endpoint_url": "aws_endpoint",
    "allow_http": "aws_allow_http",
    "account_key": "azure_storage_account_key",
    "azure_storage_access_key": "azure_storage_account_key",
    "sas_key": "azure_storage_sas_key",
    "azure_storage_sas_token": "azure_storage_sas_key",
    "azure_client_id": "azure_storage_client_id",
    "azure_client_secret": "azure_storage_client_secret",
    "azure_tenant_id": "azure_storage_tenant_id",
    "google_service_account_path": "google_service_account",
}
"""Aliases of options, with their long names."""

_VARIABLES = {"s3": "AWS_", "abfss": "AZURE_", "gs": "GOOGLE_SERVICE_ACCOUNT"}
"""Prefix of the environment variables of each storage."""

_ANONYMOUS = "AnonymousAWSCredentialsProvider"
_ACCOUNT_KEY = re.compile(r"fs\.azure\.account\.key(?:\.(?P<account>[^.]+)\..*)?")
_SAS = re.compile(r"fs\.azure\.sas\.fixed\.token(?:\..*)?")
_TENANT = re.compile(r"https?://[^/]+/(?P<tenant>[^/]+)/oauth2/")
_GCS_KEY_FILES = ("fs.gs.auth.service.account.json.keyfile", "google.cloud.auth.service.account.json.keyfile")


def options_of(location: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The options equivalent to Hadoop's settings for a location; empty if there are none for its storage."""
    match scheme(location):
        case "s3":
            return _s3_options(urlsplit(location).netloc, settings)
        case "abfss":
            return _azure_options(urlsplit(location).netloc, settings)
        case "gs":
            files = (settings[name] for name in _GCS_KEY_FILES if settings.get(name))
            file = next(files, None)
            return {} if file is None else {"google_service_account": file}
        case _:
            return {}


def _s3_options(bucket: str, settings: Mapping[str, str]) -> dict[str, str]:
    def setting(name: str) -> str | None:
        return settings.get(f"fs.s3a.bucket.{bucket}.{name}") or settings.get(f"fs.s3a.{name}") or None

    options = {option: value for name, option in _S3A.items() if (value := setting(name))}
    if endpoint := options.get("aws_endpoint"):
        if "://" not in endpoint:
            safe = setting("connection.ssl.enabled") != "false"
            endpoint = options["aws_endpoint"] = f"{'https' if safe else 'http'}://{endpoint}"
        if endpoint.startswith("http://"):
            options["aws_allow_http"] = "true"
    if setting("path.style.access") == "false":
        options["aws_virtual_hosted_style_request"] = "true"
    if (setting("aws.credentials.provider") or "").endswith(_ANONYMOUS):
        options["aws_skip_signature"] = "true"
    return options


def _azure_options(host: str, settings: Mapping[str, str]) -> dict[str, str]:
    account = host.rpartition("@")[2].partition(".")[0]
    options = {}
    for name, value in settings.items():
        key = _ACCOUNT_KEY.fullmatch(name)
        if key and key["account"] in {None, account}:
            options["azure_storage_account_key"] = value
        elif _SAS.fullmatch(name) and (account in name or name == "fs.azure.sas.fixed.token"):
            options["azure_storage_sas_key"] = value
    for name, option in (("id", "azure_storage_client_id"), ("secret", "azure_storage_client_secret")):
        if text := _of_account(settings, f"fs.azure.account.oauth2.client.{name}", host):
            options[option] = text
    tenant = _TENANT.match(_of_account(settings, "fs.azure.account.oauth2.client.endpoint", host) or "")
    return {**options, "azure_storage_tenant_id": tenant["tenant"]} if tenant else options


def _of_account(settings: Mapping[str, str], name: str, host: str) -> str | None:
    return settings.get(f"{name}.{host.rpartition('@')[2]}") or settings.get(name)


_MANNERS = ("path.style.access", "connection.ssl.enabled", "endpoint.region", "aws.credentials.provider")
"""Settings of S3A on the connection to a bucket, not on the identity of the client."""


def is_identity(setting: str) -> bool:
    """Whether a setting of `hadoop_settings` determines the identity of the client, or the storage itself."""
    return not setting.endswith(_MANNERS)


def hadoop_settings(location: str, options: Mapping[str, str]) -> dict[str, str]:
    """Hadoop's settings for a location's bucket or account that are equivalent to obstore's `options`."""
    match scheme(location):
        case "s3":
            return _s3_settings(urlsplit(location).netloc, long_names(options))
        case "abfss":
            return _azure_settings(urlsplit(location).netloc, long_names(options))
        case "gs":
            enabled = {"fs.gs.auth.type": "SERVICE_ACCOUNT_JSON_KEYFILE"}
            account = long_names(options).get("google_service_account")
            return {} if account is None else {**enabled, _GCS_KEY_FILES[0]: account}
        case _:
            return {}


def _s3_settings(bucket: str, options: Mapping[str, str]) -> dict[str, str]:
    settings = {name: options[option] for name, option in _S3A.items() if options.get(option)}
    if "endpoint" in settings:
        # A server of one's own rarely has a name for each bucket.
        hosted = options.get("aws_virtual_hosted_style_request") == "true"
        settings["path.style.access"] = str(not hosted).lower()
        settings["connection.ssl.enabled"] = str(not settings["endpoint"].startswith("http://")).lower()
    if options.get("aws_skip_signature") == "true":
        settings["aws.credentials.provider"] = f"org.apache.hadoop.fs.s3a.{_ANONYMOUS}"
    elif "access.key" in settings:
        kind = "Temporary" if "session.token" in settings else "Simple"
        settings["aws.credentials.provider"] = f"org.apache.hadoop.fs.s3a.{kind}AWSCredentialsProvider"
    return {f"fs.s3a.bucket.{bucket}.{name}": value for name, value in settings.items()}


def _azure_settings(account_host: str, options: Mapping[str, str]) -> dict[str, str]:
    host = account_host.rpartition("@")[2]
    if key := options.get("azure_storage_account_key"):
        return {f"fs.azure.account.key.{host}": key}
    if token := options.get("azure_storage_sas_key"):
        return {f"fs.azure.account.auth.type.{host}": "SAS", f"fs.azure.sas.fixed.token.{host}": token}
    identity, secret, tenant = (
        options.get(f"azure_storage_{name}") for name in ("client_id", "client_secret", "tenant_id")
    )
    if not (identity and secret and tenant):
        return {}
    return {
        f"fs.azure.account.auth.type.{host}": "OAuth",
        f"fs.azure.account.oauth.provider.type.{host}": (
            "org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider"
        ),
        f"fs.azure.account.oauth2.client.id.{host}": identity,
        f"fs.azure.account.oauth2.client.secret.{host}": secret,
        f"fs.azure.account.oauth2.client.endpoint.{host}": f"https://login.microsoftonline.com/{tenant}/oauth2/token",
    }


def long_names(options: Mapping[str, str]) -> dict[str, str]:
    """The options under their long names in lower case."""
    lower = {name.lower(): value for name, value in options.items()}
    return {_SHORT.get(name, name): value for name, value in lower.items()}


def of_environment(environment: Mapping[str, str], location: str) -> dict[str, str]:
    """The options that environment variables give for the storage of a location, as obstore reads them."""
    prefix = _VARIABLES.get(scheme(location))
    return long_names({name: value for name, value in environment.items() if prefix and name.startswith(prefix)})


class Lent(Protocol):
    """Credentials for one place. `name` distinguishes them from those for other places of the bucket."""

    @property
    def name(self) -> str: ...

    def options(self, *, unattended: bool = False) -> tuple[Mapping[str, str], datetime | None]:
        """obstore's options, and when they expire, in UTC; renewed before that. Raises a DeltaSqlError.

        `unattended` is for work that does not ask again: such options are valid for longer, where that is possible.
        """


KEYS = frozenset(
    {
        *("aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_skip_signature"),
        *("azure_storage_account_key", "azure_storage_sas_key", "azure_storage_client_id"),
        *("azure_storage_client_secret", "azure_storage_tenant_id", "google_service_account"),
    }
)
"""Options that say who the client is, in place of which lent credentials stand."""


def provider(location: str, lent: Lent) -> Callable[[], Any]:
    """The credential provider by which obstore asks for credentials, again whenever they have expired."""

    def s3() -> dict[str, Any]:
        options, expires = lent.options()
        return {
            "access_key_id": options.get("aws_access_key_id", ""),
            "secret_access_key": options.get("aws_secret_access_key", ""),
            "token": options.get("aws_session_token"),
            "expires_at": expires,
        }

    def azure() -> dict[str, Any]:
        options, expires = lent.options()
        return {"sas_token": options.get("azure_storage_sas_key", "").lstrip("?"), "expires_at": expires}

    def google() -> dict[str, Any]:
        options, expires = lent.options()
        return {"token": options.get("google_oauth_token", ""), "expires_at": expires}

    return {"s3": s3, "abfss": azure, "gs": google}[scheme(location)]


def lends_for(location: str) -> bool:
    """Whether credentials can be lent for the storage of a location."""
    return scheme(location) in {"s3", "abfss", "gs"}


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
            raise errors.UnsupportedLocationError(location.replace("\0", "\\0"), "it has a NUL character")
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
            raise errors.UnsupportedLocationError(location, reason)
        options = self._store_options(url)
        endpoint = long_names({**of_environment(os.environ, url), **options}).get("aws_endpoint", "")
        if scheme(url) == "s3" and endpoint and not _ADDRESS.match(endpoint):
            # The client would panic with its first request.
            raise errors.UnsupportedLocationError(location, "its endpoint is no address such as https://host:9000")
        try:
            arguments = _arguments(options) if lent is None else _with_lent(options, location, lent)
            opened = from_url(url, retry_config=ONCE, **arguments)
        except (exceptions.BaseError, ValueError, TypeError) as error:
            relative = ":" not in url
            reason = "it is relative; write the whole path, as /data/t" if relative else storage_reason(error)
            raise errors.UnsupportedLocationError(location, reason) from error
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
        raise errors.UnsafeStoreError(name, finding)


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
    except errors.StorageError as error:
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


_OF_ENVIRONMENT = Stores()


def open_store(location: str) -> LogStore:
    """The storage of the table at `location`: an absolute local path or a URL.

    Credentials come from the environment, as obstore documents. Raises UnsupportedLocationError.
    """
    return _OF_ENVIRONMENT.open(location)
