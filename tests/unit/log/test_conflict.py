"""Every cell: what a transaction did, what the commit did that came first, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from deltasql.base.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    MetadataChangedError,
    ProtocolChangedError,
)
from deltasql.log.commit.conflict import (
    Attempt,
    IsolationLevel,
    ReadPredicate,
    ReadSet,
    TableWrites,
    Winner,
    file_conflict,
    table_conflict,
)

SERIALIZABLE, WRITE, SNAPSHOT = IsolationLevel.SERIALIZABLE, IsolationLevel.WRITE_SERIALIZABLE, IsolationLevel.SNAPSHOT


def in_partition(value: str | None) -> ReadPredicate:
    return ReadPredicate(f"p = {value}", lambda values: values.get("p") == value)


ALL = ReadPredicate("x = 1")
A = frozenset({"a"})
METADATA = TableWrites(metadata=True)
PROTOCOL = TableWrites(metadata=True, protocol=True)
APP_R, APP_S = TableWrites(app_ids=frozenset("r")), TableWrites(app_ids=frozenset("s"))
DOMAIN_D, DOMAIN_E = TableWrites(domains=frozenset("d")), TableWrites(domains=frozenset("e"))
GONE_A: Mapping[str, Mapping[str, str | None]] = {"a": {}}
GONE_B: Mapping[str, Mapping[str, str | None]] = {"b": {}}

# What the transaction did: `a` is the file that it read and removes.
APPEND = Attempt("main.t", 5, WRITE)
UPDATE = Attempt("main.t", 5, WRITE, ReadSet((ALL,), A), removes=A, only_adds=False)
UPDATE_P1 = replace(UPDATE, reads=ReadSet((in_partition("1"),), A))
INSERT_SELECT = replace(APPEND, reads=ReadSet((ALL,), A))
WHOLE = replace(APPEND, reads=ReadSet(whole_table=True))
BLIND_DELETE = replace(UPDATE, reads=ReadSet())
OPTIMIZE = replace(UPDATE, level=SNAPSHOT)
ALTER = replace(APPEND, writes=METADATA)
OVERWRITE_SCHEMA = replace(UPDATE, writes=METADATA)
CHECKED_ALTER = replace(ALTER, reads=ReadSet(whole_table=True))
UPGRADE = replace(ALTER, writes=PROTOCOL)
RESTORE = replace(UPDATE, needs_next_version=True)
CREATE = replace(UPGRADE, version=0)

# What came first.
BLIND = Winner(5, "WRITE", is_blind_append=True, adds={"n": {}})
UNFLAGGED = replace(BLIND, is_blind_append=False)
BLIND_P1 = replace(BLIND, adds={"n": {"p": "1"}})
BLIND_P2 = replace(BLIND, adds={"n": {"p": "2"}, "m": {"p": None}})
UPDATED = Winner(5, "UPDATE", adds={"n": {}}, removes=GONE_A)
UPDATED_B = Winner(5, "UPDATE", adds={"n": {}}, removes=GONE_B)
UPDATED_P2 = Winner(5, "UPDATE", adds={"n": {"p": "2"}}, removes=GONE_B)
UPDATED_P1 = Winner(5, "MERGE", adds={"m": {"p": "2"}, "n": {"p": "1"}}, removes=GONE_B)
DELETED = Winner(5, "DELETE", removes=GONE_A)
DELETED_B = Winner(5, "DELETE", removes=GONE_B)
OPTIMIZED = Winner(5, "OPTIMIZE", removes=GONE_A)
OPTIMIZED_B = Winner(5, "OPTIMIZE", removes=GONE_B)
EMPTY = Winner(5, "An unnamed operation")
ALTERED = Winner(5, "ADD COLUMNS", is_blind_append=True, writes=METADATA)
UPGRADED = replace(ALTERED, operation="UPGRADE PROTOCOL", writes=PROTOCOL)
IDENTITY = replace(BLIND, writes=METADATA, only_raises_identity=True)

OK = None
APPENDED = "DELTA_CONCURRENT_APPEND"
CA, DR, DD = ConcurrentAppendError, ConcurrentDeleteReadError, ConcurrentDeleteDeleteError
CT, CW, MC, PC = ConcurrentTransactionError, ConcurrentWriteError, MetadataChangedError, ProtocolChangedError
WINNERS = (BLIND, UNFLAGGED, UPDATED, UPDATED_B, DELETED, DELETED_B, OPTIMIZED, OPTIMIZED_B, EMPTY, ALTERED, UPGRADED)

MATRIX: Mapping[str, tuple[Attempt, tuple[type[Exception] | None, ...]]] = {
    #                     attempt          blind unfl. upd. upd.b del. del.b opt. opt.b empty alter upgrade
    "append": (APPEND, (OK, OK, OK, OK, OK, OK, OK, OK, OK, MC, PC)),
    "update": (UPDATE, (OK, CA, CA, CA, DR, OK, DR, OK, OK, MC, PC)),
    "insert select": (INSERT_SELECT, (OK, CA, CA, CA, DR, OK, DR, OK, OK, MC, PC)),
    "whole table": (WHOLE, (OK, CA, CA, CA, DR, DR, DR, DR, OK, MC, PC)),
    "unread delete": (BLIND_DELETE, (OK, OK, DD, OK, DD, OK, DD, OK, OK, MC, PC)),
    "optimize": (OPTIMIZE, (OK, OK, DR, OK, DR, OK, DR, OK, OK, MC, PC)),
    "alter": (ALTER, (OK, OK, OK, OK, OK, OK, OK, OK, OK, MC, PC)),
    "overwrite schema": (OVERWRITE_SCHEMA, (CA, CA, CA, CA, DR, OK, DR, OK, OK, MC, PC)),
    "add constraint": (CHECKED_ALTER, (CA, CA, CA, CA, DR, DR, DR, DR, OK, MC, PC)),
    "upgrade": (UPGRADE, (OK, OK, OK, OK, OK, OK, OK, OK, OK, MC, PC)),
    "restore": (RESTORE, (CW, CW, CW, CW, CW, CW, CW, CW, CW, MC, PC)),
    "create": (CREATE, (PC, PC, PC, PC, PC, PC, PC, PC, PC, PC, PC)),
}

# The same under Serializable: blind appends count too.
SERIAL = {"update": CA, "insert select": CA, "whole table": CA, "append": OK, "unread delete": OK}


def cells() -> list[tuple[Attempt, Winner, type[Exception] | None]]:
    found = []
    for name, (attempt, verdicts) in MATRIX.items():
        found += [(attempt, winner, verdict) for winner, verdict in zip(WINNERS, verdicts, strict=True)]
        if name in SERIAL:
            serial = replace(attempt, level=SERIALIZABLE)
            found += [(serial, winner, verdict) for winner, verdict in zip(WINNERS[1:], verdicts[1:], strict=True)]
            found.append((serial, BLIND, SERIAL[name]))
    return found


@pytest.mark.parametrize(("attempt", "winner", "verdict"), cells())
def test_matrix(attempt: Attempt, winner: Winner, verdict: type[Exception] | None) -> None:
    check(attempt, winner, verdict)


@pytest.mark.parametrize(
    ("attempt", "winner", "verdict"),
    [
        (UPDATE_P1, UPDATED_P2, OK),
        (UPDATE_P1, UPDATED_P1, CA),
        (replace(UPDATE_P1, level=SERIALIZABLE), BLIND_P2, OK),
        (replace(UPDATE_P1, level=SERIALIZABLE), BLIND_P1, CA),
        (replace(UPDATE, level=SERIALIZABLE), BLIND_P2, CA),
        (
            replace(UPDATE_P1, reads=ReadSet((in_partition("1"), in_partition(None)), A), level=SERIALIZABLE),
            BLIND_P2,
            CA,
        ),
        (replace(UPDATE_P1, reads=ReadSet((in_partition("1"), ALL), A)), UPDATED_P2, CA),
        (replace(UPDATE_P1, reads=ReadSet(UPDATE_P1.reads.predicates, A, whole_table=True)), UPDATED_P2, CA),
        (UPDATE_P1, DELETED, DR),
        (UPDATE_P1, DELETED_B, OK),
    ],
)
def test_partitions(attempt: Attempt, winner: Winner, verdict: type[Exception] | None) -> None:
    check(attempt, winner, verdict)


@pytest.mark.parametrize(
    ("attempt", "winner", "verdict"),
    [
        (replace(APPEND, writes=APP_S), replace(BLIND, writes=APP_S), CT),
        (replace(APPEND, reads=ReadSet(app_ids=frozenset("s"))), replace(BLIND, writes=APP_S), CT),
        (replace(APPEND, writes=APP_S), replace(BLIND, writes=APP_R), OK),
        (replace(APPEND, writes=DOMAIN_D), replace(BLIND, writes=DOMAIN_D), CT),
        (replace(APPEND, writes=DOMAIN_D), replace(BLIND, writes=DOMAIN_E), OK),
        (APPEND, IDENTITY, OK),
        (UPDATE, IDENTITY, OK),
        (ALTER, IDENTITY, MC),
        # The order of the rules: metadata before applications before files.
        (replace(UPDATE, writes=APP_S), replace(ALTERED, writes=replace(METADATA, app_ids=APP_S.app_ids)), MC),
        (replace(UPDATE, writes=APP_S), replace(UPDATED, writes=APP_S), CT),
    ],
)
def test_applications_domains_and_identities(attempt: Attempt, winner: Winner, verdict: type[Exception] | None) -> None:
    check(attempt, winner, verdict)


def check(attempt: Attempt, winner: Winner, verdict: type[Exception] | None) -> None:
    found = table_conflict(attempt, winner) or file_conflict(attempt, winner)
    assert found is None if verdict is None else isinstance(found, verdict)
    if found is not None:
        assert isinstance(found, ConcurrentModificationError)
        assert (found.sqlstate, found.version, found.operation) == ("2D521", 5, winner.operation)
        for part in (winner.operation, "main.t", "version 5", "Run the statement again."):
            assert part in found.message


@pytest.mark.parametrize(
    ("attempt", "winner", "condition", "text"),
    [
        (APPEND, ALTERED, "DELTA_METADATA_CHANGED", "schema or properties"),
        (APPEND, UPGRADED, "DELTA_PROTOCOL_CHANGED", "protocol"),
        (CREATE, BLIND, "DELTA_PROTOCOL_CHANGED", "create the table before"),
        (UPDATE, UPDATED, f"{APPENDED}.WITHOUT_HINT", "(version 5) that this statement should have read"),
        (UPDATE_P1, UPDATED_P1, f"{APPENDED}.WITH_PARTITION_HINT", "(version 5, partition [p=1])"),
        (WHOLE, replace(UNFLAGGED, adds={"n": {"p": None, "q": "2"}}), f"{APPENDED}.WHOLE_TABLE_READ", "[p=null, q=2]"),
        (UPDATE, DELETED, "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT", "that this statement read"),
        (BLIND_DELETE, DELETED, "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT", "removes too"),
        (RESTORE, BLIND, "DELTA_CONCURRENT_WRITE", "wrote version 5"),
        (
            replace(APPEND, writes=APP_S),
            replace(BLIND, writes=APP_S),
            "DELTA_CONCURRENT_TRANSACTION",
            "application id s",
        ),
        (
            replace(APPEND, writes=DOMAIN_D),
            replace(BLIND, writes=DOMAIN_D),
            "DELTA_CONCURRENT_TRANSACTION",
            "metadata domain d",
        ),
    ],
)
def test_messages(attempt: Attempt, winner: Winner, condition: str, text: str) -> None:
    found = table_conflict(attempt, winner) or file_conflict(attempt, winner)
    assert found is not None
    assert found.condition == condition
    assert text in found.message
