"""Idempotent writes: a commit notes how far an application has come, and what it has committed is not done again.

Source: Delta protocol, Transaction Identifiers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.errors.frames import IllegalOptionError, InvalidIdempotentWriteError
from deltasql.log.actions import SetTransaction

if TYPE_CHECKING:
    from deltasql.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Application:
    """Who writes, and the number of this write, which only grows."""

    id: str
    version: int

    def done_in(self, snapshot: Snapshot | None) -> bool:
        """Whether the table has this write already, or a later one."""
        return snapshot is not None and snapshot.transactions.get(self.id, -1) >= self.version

    def action(self) -> SetTransaction:
        """What the commit says of it."""
        return SetTransaction(self.id, self.version, int(time.time() * 1000))


def application(app_id: str | None, version: str | None, id_key: str, version_key: str) -> Application | None:
    """The application that two options or settings name; None where neither is there.

    Raises InvalidIdempotentWriteError for one without the other, IllegalOptionError for a version that is no number.
    """
    if app_id is None and version is None:
        return None
    if app_id is None or version is None:
        missing = id_key if app_id is None else version_key
        raise InvalidIdempotentWriteError(id_key, version_key, f"{missing} is missing")
    text = version.strip()
    if not text.isdecimal() or int(text) >= 2**63:
        raise IllegalOptionError(version_key, repr(version), "a whole number from 0 on")
    return Application(app_id, int(text))
