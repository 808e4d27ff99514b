"""Requests to AWS Glue: the client of boto3, and what its errors mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from threading import RLock
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import (
    CatalogAccessError,
    CatalogConfigurationError,
    CatalogRequestError,
    CatalogUnavailableError,
)
from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.metastore.model import ChangedMeanwhileError
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError

_DEFAULT_TIMEOUT = 60.0
_CONNECT_SECONDS = 10.0
_CHANGED = frozenset({"ConcurrentModificationException", "VersionMismatchException"})
_DENIED = frozenset(
    {
        *("AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException"),
        *("ExpiredTokenException", "ExpiredToken", "InvalidClientTokenId", "SignatureDoesNotMatch"),
        *("MissingAuthenticationTokenException", "MissingAuthenticationToken", "IncompleteSignatureException"),
    }
)
_BUSY = frozenset(
    {
        *("ThrottlingException", "Throttling", "RequestLimitExceeded", "TooManyRequestsException"),
        *("InternalServiceException", "InternalFailure", "OperationTimeoutException", "ServiceUnavailable"),
        *("500", "502", "503", "504"),
    }
)
_NO_CREDENTIALS = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.TokenRetrievalError,
    exceptions.SSOError,
)
_WRONG_OPTIONS = (
    exceptions.NoRegionError,
    exceptions.InvalidRegionError,
    exceptions.ProfileNotFound,
    exceptions.ConfigParseError,
)


class GlueConnection:
    """A client of Glue, made when it is first needed, for each process anew."""

    type = "glue"

    def __init__(self, options: CatalogOptions) -> None:
        """Raises CatalogConfigurationError."""
        self._options = options
        self._seconds = options.seconds("timeout", _DEFAULT_TIMEOUT)
        self._client: Any = None
        self._process = os.getpid()
        self._lock = RLock()

    @property
    def address(self) -> str:
        """Where Glue is, for messages."""
        return self._options.get("endpoint") or self._options.get("region") or "AWS"

    def call(self, operation: str, method: str, kind: Kind = Kind.SCHEMA, **request: Any) -> Any:
        """The answer to a request. `kind` is what is missing where Glue finds no entity.

        Raises NameMissingError, NameTakenError, ChangedMeanwhileError, and DeltaSqlErrors.
        """
        try:
            return getattr(self._opened(), method)(**self._of_account(request))
        except (exceptions.ClientError, exceptions.BotoCoreError, exceptions.HTTPClientError) as error:
            raise self._meant(error, operation, kind) from error

    def pages(self, operation: str, method: str, result: str, **request: Any) -> Iterator[Any]:
        """The items of all answers to a request that is answered page by page. Raises what `call` raises."""
        try:
            paginator = self._opened().get_paginator(method)
            for page in paginator.paginate(**self._of_account(request)):
                yield from page.get(result, ())
        except (exceptions.ClientError, exceptions.BotoCoreError, exceptions.HTTPClientError) as error:
            raise self._meant(error, operation, Kind.SCHEMA) from error

    def failed(self, operation: str, reason: str) -> CatalogRequestError:
        """The error for a request that Glue refuses."""
        return CatalogRequestError(
            catalog=self._options.name,
            type=self.type,
            uri=self.address,
            operation=operation,
            reason=reason.rstrip("."),
        )

    def close(self) -> None:
        """Closes the connections; the next request opens others."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._process == os.getpid():
                client.close()

    def _of_account(self, request: dict[str, Any]) -> dict[str, Any]:
        account = self._options.get("catalog_id")
        return request if account is None else {"CatalogId": account, **request}

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client, self._process = self._made(), os.getpid()
            return self._client

    def _made(self) -> Any:
        options = self._options
        session = boto3.session.Session(
            options.get("access_key_id"),
            options.get("secret_access_key"),
            options.get("session_token"),
            options.get("region"),
            profile_name=options.get("profile"),
        )
        limits = Config(
            connect_timeout=min(self._seconds, _CONNECT_SECONDS),
            read_timeout=self._seconds,
            retries={"mode": "standard", "max_attempts": 3},
        )
        try:
            return session.client("glue", endpoint_url=options.get("endpoint"), config=limits)
        except ValueError as error:
            raise CatalogConfigurationError(catalog=options.name, reason=str(error).rstrip(".")) from error

    def _meant(self, error: Exception, operation: str, kind: Kind) -> Exception:
        """The conflict, or the error for the user, that an exception of boto3 means."""
        name, uri = self._options.name, self.address
        if isinstance(error, exceptions.ClientError):
            return self._answered(error, operation, kind)
        reason = " ".join(str(error).split()).rstrip(".")
        if isinstance(error, _WRONG_OPTIONS):
            return CatalogConfigurationError(catalog=name, reason=reason)
        if isinstance(error, _NO_CREDENTIALS):
            return CatalogAccessError(catalog=name, type=self.type, uri=uri, reason=reason)
        if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
            return CatalogUnavailableError(catalog=name, type=self.type, uri=uri, reason=reason)
        return self.failed(operation, reason)

    def _answered(self, error: exceptions.ClientError, operation: str, kind: Kind) -> Exception:
        answer = error.response.get("Error", {})
        code, text = str(answer.get("Code")), " ".join(str(answer.get("Message") or "").split()).rstrip(".")
        reason = f"{code}: {text}" if text else code
        name, uri = self._options.name, self.address
        conflict: Exception | None = None
        if code == "EntityNotFoundException":
            conflict = NameMissingError(kind)
        elif code == "AlreadyExistsException":
            conflict = NameTakenError()
        elif code in _CHANGED:
            conflict = ChangedMeanwhileError()
        if conflict is not None:
            return conflict
        failure: DeltaSqlError = self.failed(operation, reason)
        if code in _DENIED:
            failure = CatalogAccessError(catalog=name, type=self.type, uri=uri, reason=reason)
        elif code in _BUSY:
            failure = CatalogUnavailableError(catalog=name, type=self.type, uri=uri, reason=reason)
        return failure
