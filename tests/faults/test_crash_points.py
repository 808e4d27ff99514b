"""A sample of the states that a power cut leaves: `python -m tests.faults.crash_points` tries them all."""

from __future__ import annotations

import random

import pytest

from .crash_points import check, recorded
from .disk import Disk, Kept, Mark, Named, Operation, Sync, Written, states
from .strace_log import AVAILABLE

needs_strace = pytest.mark.skipif(not AVAILABLE, reason="strace is not installed")


@needs_strace
def test_nothing_is_lost_and_without_syncs_it_would_be() -> None:
    with recorded("insert") as recording:
        kept = list(recording.states(seed=7))
        assert len(kept) > 50
        faults = [(state.told, check(recording, state)) for state in random.Random(7).sample(kept, 20)]
        assert [fault for fault in faults if fault[1]] == []
        unsynced = [event for event in recording.events if not isinstance(event, Sync)]
        lost = [state for state in states(recording.begin, unsynced, random.Random(7)) if state.done == 2]
        assert any(check(recording, state) for state in lost[:20])


def _trees(*events: Operation | Sync | Mark) -> list[dict[str, bytes | None]]:
    begin = Disk({0: {}}, {1: bytearray()})
    return [dict(state.tree) for state in states(begin, events, random.Random(7)) if state.done]


def test_what_is_not_synced_may_be_there_in_part() -> None:
    written, named = Written(1, 0, b"ab"), Named(0, "f", 1)
    assert _trees(named, written, Sync(1, 2), Sync(0, 2), Mark(1)) == [{"f": b"ab"}]
    without_name = _trees(named, written, Sync(1, 2), Mark(1))
    assert sorted(map(repr, without_name)) == ["{'f': b'ab'}", "{}"]
    assert {tree["f"] for tree in _trees(named, written, Sync(0, 2), Mark(1))} == {b"ab", b"", b"a", bytes(2)}
    # What came after a sync had begun is not covered by it.
    assert {} in _trees(written, named, Sync(1, 1), Sync(0, 1), Mark(1))


def test_a_rename_is_whole() -> None:
    moved = Named(0, "new", 1, 0, "old")
    assert {*map(repr, _trees(Named(0, "old", 1), Sync(0, 1), moved, Mark(1)))} == {"{'old': b''}", "{'new': b''}"}


def test_a_file_is_cut() -> None:
    disk = Disk({0: {"f": 1}}, {1: bytearray(b"abc")})
    disk.apply(Written(1, 1, None))
    disk.apply(Written(1, 3, b"xy"), Kept.TORN)
    assert disk.tree() == {"f": b"a\0\0x"}
