"""How long a store is asked again that is too busy, drops connections or says nothing; which answers are the last.

The client library is told not to ask again by itself (`ONCE`): it would put an object twice and take its own first put
for another writer's.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from obstore import exceptions

ONCE = {"max_retries": 0}
"""The `retry_config` of a client that sends each request once."""

_STATUS = re.compile(r"status code: (\d{3})")
_CAUSE = re.compile(r'message: "([^"]+)"')
_KIND = re.compile(r"\bkind: (Connect|Timeout|Interrupted|Decode)\b")
_KINDS = {
    "Connect": "no connection",
    "Timeout": "timed out",
    "Interrupted": "the connection was dropped",
    "Decode": "the answer was cut short",
}
# What a server says of a request that it refused, in S3's and Azure's XML.
_ANSWER = re.compile(r"<Code>(?P<code>[^<]*)</Code>.*?<Message>(?P<message>[^<]*)</Message>", re.DOTALL)
_AGAIN_LATER = frozenset({408, 429})
_NOT_IMPLEMENTED = 501
_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Patience:
    """At most so many tries of a request, the last one begun within `seconds`; waits double from `first` to `longest`.

    What is waited is between half of that and all of it, so that writers who were turned away together come back apart.
    """

    tries: int = 10
    seconds: float = 60.0
    first: float = 0.05
    longest: float = 5.0


class Tries:
    """The tries of one request."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._begin = time.monotonic()
        self.count = 1

    @property
    def seconds(self) -> float:
        """Since the first one began."""
        return time.monotonic() - self._begin

    @property
    def left(self) -> bool:
        """Whether there is to be another one."""
        return self.count < self._patience.tries and self.seconds < self._patience.seconds

    def wait(self) -> None:
        """Waits for the next one."""
        wait = min(self._patience.first * 2 ** (self.count - 1), self._patience.longest)
        time.sleep(wait * random.uniform(0.5, 1.0))
        self.count += 1


class Reply(Enum):
    """What a store says to the put of an object that must not be there."""

    EXISTS = auto()
    """There is one."""
    CONFLICT = auto()
    """There is one, or two requests have met: stores give 409 for both."""
    REFUSED = auto()
    """No: nothing was written."""
    NONE = auto()
    """Nothing that decides it."""


def reply_to_create(error: BaseException) -> Reply:
    """The reply that an error stands for."""
    if isinstance(error, (exceptions.AlreadyExistsError, FileExistsError)):
        return Reply.CONFLICT if status_of(error) == _CONFLICT else Reply.EXISTS
    return Reply.REFUSED if is_refusal(error) else Reply.NONE


def is_refusal(error: BaseException) -> bool:
    """Whether the storage has said no, so that nothing was done."""
    if not isinstance(error, exceptions.GenericError):
        return True
    status = status_of(error)
    return status is not None and (status == _NOT_IMPLEMENTED or (status < 500 and status not in _AGAIN_LATER))


def may_pass(error: BaseException) -> bool:
    """Whether the same request may be answered better later: the storage was busy, or the connection failed."""
    return not is_refusal(error) and (status_of(error) is not None or "HTTP error" in _first_lines(error))


def is_unknown_operation(error: BaseException | None) -> bool:
    """Whether the storage has no such operation."""
    return isinstance(error, (NotImplementedError, exceptions.NotSupportedError)) or (
        isinstance(error, exceptions.BaseError) and status_of(error) == _NOT_IMPLEMENTED
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error speaks of."""
    found = _STATUS.search(_first_lines(error))
    return None if found is None else int(found[1])


def storage_reason(error: BaseException) -> str:
    """What went wrong, in one line for a message."""
    reason = _first_lines(error).strip()
    answer = _ANSWER.search(reason)
    if answer is not None:
        return f"{answer['message'].rstrip('.')} ({answer['code']})"
    reason = reason.rstrip(".:") or type(error).__name__
    if status_of(error) is not None:
        return reason
    # Of a request without an answer only the debug form says why.
    debug = str(error)[len(_first_lines(error)) :]
    cause, kind = _CAUSE.search(debug), _KIND.search(debug)
    told = cause[1] if cause else _KINDS[kind[1]] if kind else None
    return f"{reason} ({told})" if told else reason


def repeats_by_itself(store: Any) -> bool:
    """Whether the client of a store may send a request more than once: without `ONCE`, if it sends any."""
    if not hasattr(store, "retry_config"):
        return False
    config = store.retry_config
    return config is None or config.get("max_retries") != 0


def _first_lines(error: BaseException) -> str:
    # obstore appends its debug form after an empty line.
    return str(error).split("\n\n")[0]
