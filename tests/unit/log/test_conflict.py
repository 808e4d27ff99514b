from __future__ import annotations

from dataclasses import replace

import pytest

from deltasql.errors.log import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    MetadataChangedError,
    ProtocolChangedError,
)
from deltasql.log.conflict import Attempt, IsolationLevel, Winner, find_conflict

SERIALIZABLE, WRITE, SNAPSHOT = IsolationLevel.SERIALIZABLE, IsolationLevel.WRITE_SERIALIZABLE, IsolationLevel.SNAPSHOT

APPEND = Attempt("t", 5, WRITE)
UPDATE = Attempt(
    "t", 5, WRITE, read_predicates=("x = 1",), read_files=frozenset({"a"}), removes=frozenset({"a"}), only_adds=False
)
ALTER = Attempt("t", 5, WRITE, changes_metadata=True)
OPTIMIZE = replace(UPDATE, level=SNAPSHOT)

APPENDED = Winner(5, "WRITE", is_blind_append=True, adds={"n": {}})
UPDATED = Winner(5, "UPDATE", adds={"n": {}}, removes=frozenset({"a"}))
DELETED = Winner(5, "DELETE", removes=frozenset({"a"}))
UPDATED_ELSEWHERE = Winner(5, "UPDATE", adds={"n": {}}, removes=frozenset({"b"}))
ALTERED = Winner(5, "ADD COLUMNS", changes_metadata=True)
UPGRADED = Winner(5, "UPGRADE PROTOCOL", changes_metadata=True, changes_protocol=True)


@pytest.mark.parametrize(
    ("attempt", "winner", "error"),
    [
        (APPEND, APPENDED, None),
        (APPEND, UPDATED, None),
        (APPEND, ALTERED, MetadataChangedError),
        (APPEND, UPGRADED, ProtocolChangedError),
        (replace(APPEND, version=0), APPENDED, ProtocolChangedError),
        (UPDATE, APPENDED, None),
        (replace(UPDATE, level=SERIALIZABLE), APPENDED, ConcurrentAppendError),
        (UPDATE, UPDATED, ConcurrentAppendError),
        (UPDATE, UPDATED_ELSEWHERE, ConcurrentAppendError),
        (UPDATE, DELETED, ConcurrentDeleteReadError),
        (replace(UPDATE, read_files=frozenset()), DELETED, ConcurrentDeleteDeleteError),
        (OPTIMIZE, UPDATED_ELSEWHERE, None),
        (OPTIMIZE, UPDATED, ConcurrentDeleteReadError),
        (replace(APPEND, read_whole_table=True), UPDATED_ELSEWHERE, ConcurrentAppendError),
        (replace(APPEND, read_whole_table=True), replace(DELETED, removes=frozenset("z")), ConcurrentDeleteReadError),
        (ALTER, APPENDED, ConcurrentWriteError),
        (replace(UPDATE, needs_next_version=True), APPENDED, ConcurrentWriteError),
        (
            replace(APPEND, app_ids=frozenset("s")),
            replace(APPENDED, app_ids=frozenset("s")),
            ConcurrentTransactionError,
        ),
        (
            replace(APPEND, read_app_ids=frozenset("s")),
            replace(APPENDED, app_ids=frozenset("s")),
            ConcurrentTransactionError,
        ),
        (replace(APPEND, app_ids=frozenset("s")), replace(APPENDED, app_ids=frozenset("r")), None),
        (
            replace(APPEND, domains=frozenset("d")),
            replace(APPENDED, domains=frozenset("d")),
            ConcurrentTransactionError,
        ),
    ],
)
def test_verdicts(attempt: Attempt, winner: Winner, error: type[Exception] | None) -> None:
    found = find_conflict(attempt, winner)
    assert type(found) is (type(None) if error is None else error)
    if found is not None:
        assert (found.sqlstate, found.version, found.operation) == ("2D521", 5, winner.operation)
        assert winner.operation in found.message


def test_conditions_are_delta_s() -> None:
    conditions = {
        find_conflict(attempt, winner).condition  # type: ignore[union-attr]
        for attempt, winner in ((APPEND, ALTERED), (APPEND, UPGRADED), (UPDATE, UPDATED), (UPDATE, DELETED))
    }
    assert conditions == {
        "DELTA_METADATA_CHANGED",
        "DELTA_PROTOCOL_CHANGED",
        "DELTA_CONCURRENT_APPEND",
        "DELTA_CONCURRENT_DELETE_READ",
    }
