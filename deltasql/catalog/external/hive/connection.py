"""The connection to a Hive metastore: opened when it is first needed, and again when it was lost."""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable
from threading import RLock
from typing import NamedTuple, TypeVar

from hive_metastore import ThriftHiveMetastore
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import (
    CatalogConfigurationError,
    CatalogRequestError,
    CatalogUnavailableError,
)
from deltasql.catalog.external.configuration import CatalogOptions

_T = TypeVar("_T")

_DEFAULT_PORT = 9083
_DEFAULT_TIMEOUT = 60.0
_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 10.0
"""After so long a connection is opened again: the server may have closed it."""
_LONGEST_TEXT = 64 << 20
"""Bytes of one text in an answer. What is no answer of Thrift looks like a much longer one."""
_ADDRESS = re.compile(r"thrift://(?P<host>\[[0-9A-Fa-f:.]+\]|[^:/\s]+)(?::(?P<port>\d{1,5}))?/?")
_BROKEN = (TTransportException, TProtocolException, OSError, EOFError, struct.error, UnicodeDecodeError)
_NO_THRIFT = (
    "the connection is closed without an answer. It may be no metastore, or one that expects Kerberos or TLS, which "
    "deltasql does not speak"
)


class _Address(NamedTuple):
    host: str
    port: int


class Connection:
    """A connection to one of the metastores of a configuration, shared by threads, which wait for each other."""

    type = "hive"

    def __init__(self, options: CatalogOptions) -> None:
        """Raises CatalogConfigurationError."""
        self._name, self._uri = options.name, options.get("uri") or ""
        self._addresses = [_address(options.name, item) for item in self._uri.split(",")]
        self._seconds, self._user = options.seconds("timeout", _DEFAULT_TIMEOUT), options.get("user")
        self._client: ThriftHiveMetastore.Client | None = None
        self._transport: TBufferedTransport | None = None
        self._process, self._used_at = os.getpid(), 0.0
        self._lock = RLock()

    def call(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], _T], *, changes: bool = False) -> _T:
        """The result of one request. Raises the exceptions of Hive, and DeltaSqlErrors for those of the connection.

        A request that `changes` something is not sent again when the connection is lost.
        """
        with self._lock:
            self._drop_old()
            again = self._client is not None and not changes
            try:
                return self._answer(operation, request, changes)
            except CatalogUnavailableError:
                if not again:
                    raise
            return self._answer(operation, request, changes)

    def _answer(self, operation: str, request: Callable[[ThriftHiveMetastore.Client], _T], changes: bool) -> _T:
        is_new = self._client is None
        client = self._client or self._opened()
        try:
            answer = request(client)
        except _BROKEN as error:
            self.close()
            raise self._broken(error, operation, is_new=is_new, changes=changes) from error
        except TApplicationException as error:
            raise self.failed(operation, f"the server answers: {error}") from error
        except TException:
            self._used_at = time.monotonic()
            raise
        except BaseException:
            # Of an interrupted request the answer is still to come.
            self.close()
            raise
        self._used_at = time.monotonic()
        return answer

    def _broken(self, error: BaseException, operation: str, *, is_new: bool, changes: bool) -> DeltaSqlError:
        """The error for a request without a proper answer."""
        kind = error.type if isinstance(error, TTransportException) else None
        no_thrift = isinstance(error, (TProtocolException, struct.error, UnicodeDecodeError))
        if no_thrift or kind in {TTransportException.NEGATIVE_SIZE, TTransportException.SIZE_LIMIT}:
            return self.failed(operation, "its answer is none of Thrift's binary protocol; is the port the right one?")
        if is_new and kind in {TTransportException.END_OF_FILE, TTransportException.UNKNOWN}:
            return self.failed(operation, _NO_THRIFT)
        late = kind == TTransportException.TIMED_OUT or isinstance(error, TimeoutError)
        reason = f"no answer within {self._seconds:g} s" if late else "the connection was lost"
        if changes:
            reason += f"; it is unknown whether it could {operation}"
        return CatalogUnavailableError(catalog=self._name, type=self.type, uri=self._uri, reason=reason)

    def failed(self, operation: str, reason: str) -> CatalogRequestError:
        """The error for a request that the server refuses."""
        return CatalogRequestError(
            catalog=self._name, type=self.type, uri=self._uri, operation=operation, reason=reason.rstrip(".")
        )

    def _opened(self) -> ThriftHiveMetastore.Client:
        reasons = []
        for address in self._addresses:
            socket = TSocket(address.host, address.port)
            socket.setTimeout(1000 * min(self._seconds, _CONNECT_SECONDS))
            try:
                socket.open()
            except (TTransportException, OSError) as error:
                reasons.append(str(error.__cause__ or error))
                continue
            socket.setTimeout(1000 * self._seconds)
            self._transport = TBufferedTransport(socket)
            self._client = ThriftHiveMetastore.Client(
                TBinaryProtocol(self._transport, string_length_limit=_LONGEST_TEXT)
            )
            if self._user is not None:
                self._answer("set its user", lambda client: client.set_ugi(self._user, []), changes=False)
            return self._client
        raise CatalogUnavailableError(
            catalog=self._name, type=self.type, uri=self._uri, reason="; ".join(reasons).rstrip(".")
        )

    def _drop_old(self) -> None:
        """Forgets a connection that another process has opened, and closes one that was idle for long."""
        if self._process != os.getpid():
            self._process, self._client, self._transport = os.getpid(), None, None
        elif self._client is not None and time.monotonic() - self._used_at > _IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        with self._lock:
            transport, self._client, self._transport = self._transport, None, None
            if transport is not None:
                transport.close()


def _address(catalog: str, text: str) -> _Address:
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"] or 1) > 65535:
        raise CatalogConfigurationError(catalog=catalog, reason=f"its uri {text.strip()} is not thrift://host:port")
    return _Address(found["host"].strip("[]"), int(found["port"] or _DEFAULT_PORT))
