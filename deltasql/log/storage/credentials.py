"""Storage credentials, translated between obstore, which reads the log, and Hadoop's connectors, which Spark uses.

Options are obstore's: names such as `aws_access_key_id`, in lower case. Settings are Hadoop's, such as
`fs.s3a.access.key`, without Spark's `spark.hadoop.` before them.
Source: obstore, S3Config, AzureConfig, GCSConfig; Hadoop 3.5, S3A, ABFS; Google's connector, CONFIGURATION.

Credentials that somebody lends for a while, such as a catalog for the storage of one table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from deltasql.log.storage.locations import scheme

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
