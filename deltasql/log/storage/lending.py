"""Credentials that somebody lends for a while, such as a catalog for the storage of one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from deltasql.log.storage.locations import scheme


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
