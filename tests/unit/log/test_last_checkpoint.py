import json

import pytest

from deltasql.log.replay.log_segment import (
    LastCheckpoint,
    hint_checksum,
    read_last_checkpoint,
    write_last_checkpoint,
)
from deltasql.log.storage.listing import LAST_CHECKPOINT
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store

HINT = LastCheckpoint(7, 100, size_in_bytes=5, files=98)


@pytest.fixture
def store(location: str) -> LogStore:
    return open_store(location)


def test_checksum_is_delta_s() -> None:
    text = (
        '{"k0":"\'v 0\'", "checksum": "adsaskfljadfkjadfkj", '
        '"k1":{"k2": 2, "k3": ["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}'
    )
    assert hint_checksum(text) == "6a92d155a59bf2eecbd4b4ec7fd1f875"


def test_numbers_keep_their_spelling() -> None:
    assert hint_checksum('{"a":1.0}') != hint_checksum('{"a":1.00}')
    assert hint_checksum('{"a":null,"b":true}') == hint_checksum('{"b":true, "a":null}')


def test_round_trip(store: LogStore) -> None:
    write_last_checkpoint(store, HINT)
    assert read_last_checkpoint(store) == HINT
    assert list(json.loads(store.read(LAST_CHECKPOINT)))[:2] == ["version", "size"]


def test_no_older_hint_replaces_a_newer_one(store: LogStore) -> None:
    write_last_checkpoint(store, HINT)
    write_last_checkpoint(store, LastCheckpoint(6, 1))
    assert read_last_checkpoint(store) == HINT


def test_hadoop_s_checksum_file_goes(store: LogStore) -> None:
    store.overwrite("_delta_log/._last_checkpoint.crc", b"stale")
    write_last_checkpoint(store, HINT)
    assert not store.exists("_delta_log/._last_checkpoint.crc")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version":1}',
        '{"version":"x","size":1}',
        '{"version":1,"version":1,"size":1,"checksum":"0"}',
        '{"version":1,"size":1,"checksum":"00000000000000000000000000000000"}',
    ],
)
def test_damage_is_no_hint(store: LogStore, text: str) -> None:
    store.overwrite(LAST_CHECKPOINT, text.encode())
    assert read_last_checkpoint(store) is None


def test_checksum_is_optional(store: LogStore) -> None:
    store.overwrite(LAST_CHECKPOINT, b'{"version":1,"size":2,"parts":3}')
    assert read_last_checkpoint(store) == LastCheckpoint(1, 2, 3)
