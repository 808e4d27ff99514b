"""Results as files that clients download: parts of a result with links that expire, served by the same server."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.clients.warehouse.operations import RunningStatement
from deltasql.clients.warehouse.wire import Wire, rows_per_chunk

_CHUNK_BYTES = 16 << 20
_LINK_SECONDS = 900
_LINKS_AT_ONCE = 8
"""Most links of one answer: a client asks for the next ones when it has read these."""


@dataclass(frozen=True, slots=True)
class Link:
    """A part of a statement's rows, from `start` to `end`, and the form in which it is sent."""

    statement: RunningStatement
    start: int
    end: int
    form: Any
    expires: float


class ResultLinks:
    """The links of a server. `address` is its URL as clients reach it."""

    LEAST_BYTES: ClassVar[int] = 4 << 20
    """Bytes of a result from which on links are given in place of rows."""

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address
        self._links: dict[str, Link] = {}

    def link(self, statement: RunningStatement, start: int, end: int, form: Any) -> tuple[str, int]:
        """The URL of a part, and the second of the epoch at which it expires."""
        now = time.time()
        for token in [token for token, link in list(self._links.items()) if link.expires < now or _is_gone(link)]:
            self._links.pop(token, None)
        token, expires = secrets.token_urlsafe(24), int(now + _LINK_SECONDS)
        self._links[token] = Link(statement, start, end, form, expires)
        return f"{self._address()}/deltasql/results/{token}", expires

    def find(self, token: str) -> Link | None:
        """The part of a link; None for an unknown or expired one."""
        link = self._links.get(token)
        return None if link is None or link.expires < time.time() or _is_gone(link) else link

    def thrift_links(self, statement: RunningStatement, start: int) -> tuple[list[Any], int]:
        """Links for the next rows from `start`, and the number of the row behind them."""
        rows, form = statement.rows, statement.wire
        assert rows is not None
        assert isinstance(form, Wire)
        count, size = rows.table.num_rows, rows_per_chunk(rows, _CHUNK_BYTES)
        links: list[Any] = []
        while start < count and len(links) < _LINKS_AT_ONCE:
            end = min(count, start + size)
            url, expires = self.link(statement, start, end, form)
            part = rows.table.slice(start, end - start)
            links.append(
                ttypes.TSparkArrowResultLink(
                    fileLink=url,
                    # Milliseconds, which clients of Python compare with seconds.
                    expiryTime=expires * 1000,
                    startRowOffset=start,
                    rowCount=end - start,
                    bytesNum=part.nbytes,
                    httpHeaders={},
                )
            )
            start = end
        return links, start


def _is_gone(link: Link) -> bool:
    return link.statement.rows is None
