"""Retries of storage requests: which errors are retried, how often, and after which waits.

Retries of the client library are switched off (`ONCE`): it would put an object twice and take its own first put for
another writer's.
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
# Error responses of S3 and Azure, in XML.
_ANSWER = re.compile(r"<Code>(?P<code>[^<]*)</Code>.*?<Message>(?P<message>[^<]*)</Message>", re.DOTALL)
_AGAIN_LATER = frozenset({408, 429})
_NOT_IMPLEMENTED = 501
_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Patience:
    """Retry policy: at most `tries`, the last begun within `seconds`; waits double from `first` to `longest` seconds.

    Each wait is random between half of that and all of it, so that writers rejected together do not retry together.
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
        """Seconds since the first try began."""
        return time.monotonic() - self._begin

    @property
    def left(self) -> bool:
        """Whether another try is allowed."""
        return self.count < self._patience.tries and self.seconds < self._patience.seconds

    def wait(self) -> None:
        """Waits before the next try."""
        wait = min(self._patience.first * 2 ** (self.count - 1), self._patience.longest)
        time.sleep(wait * random.uniform(0.5, 1.0))
        self.count += 1


class PutOutcome(Enum):
    """Outcome of a put-if-absent that raised an error."""

    EXISTS = auto()
    """The object exists."""
    CONFLICT = auto()
    """The object exists, or two requests have collided: stores answer 409 for both."""
    REFUSED = auto()
    """The put was refused: nothing was written."""
    NONE = auto()
    """Unknown."""


def reply_to_create(error: BaseException) -> PutOutcome:
    """The outcome of a put-if-absent by its error."""
    if isinstance(error, (exceptions.AlreadyExistsError, FileExistsError)):
        return PutOutcome.CONFLICT if status_of(error) == _CONFLICT else PutOutcome.EXISTS
    return PutOutcome.REFUSED if is_refusal(error) else PutOutcome.NONE


def is_refusal(error: BaseException) -> bool:
    """Whether the storage has refused the request, so that nothing was done."""
    if not isinstance(error, exceptions.GenericError):
        return True
    status = status_of(error)
    return status is not None and (status == _NOT_IMPLEMENTED or (status < 500 and status not in _AGAIN_LATER))


def may_pass(error: BaseException) -> bool:
    """Whether a retry may succeed: the storage was busy, or the connection failed."""
    return not is_refusal(error) and (status_of(error) is not None or "HTTP error" in _first_lines(error))


def is_unknown_operation(error: BaseException | None) -> bool:
    """Whether the storage does not support the operation."""
    return isinstance(error, (NotImplementedError, exceptions.NotSupportedError)) or (
        isinstance(error, exceptions.BaseError) and status_of(error) == _NOT_IMPLEMENTED
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status in an error; None without one."""
    match = _STATUS.search(_first_lines(error))
    return None if match is None else int(match[1])


def storage_reason(error: BaseException) -> str:
    """The cause of a storage error, as one line for messages."""
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
    text = cause[1] if cause else _KINDS[kind[1]] if kind else None
    return f"{reason} ({text})" if text else reason


def repeats_by_itself(store: Any) -> bool:
    """Whether the client of a store sends requests and may retry them itself, as it is not opened with `ONCE`."""
    if not hasattr(store, "retry_config"):
        return False
    config = store.retry_config
    return config is None or config.get("max_retries") != 0


def _first_lines(error: BaseException) -> str:
    # obstore appends its debug form after an empty line.
    return str(error).split("\n\n")[0]
