from __future__ import annotations

import pytest

from deltasql.base.errors import LogGapError, NotADeltaTableError, TruncatedLogError, VersionNotFoundError
from deltasql.log.replay.log_segment import LogListing, build_segment, classify
from deltasql.log.storage.log_store import Entry


def listing(*names: str, empty: tuple[str, ...] = ()) -> LogListing:
    entries = [Entry(f"_delta_log/{name}", 0 if name in empty else 1, 1) for name in names]
    return classify(entries, complete=True)


def commits(*versions: int) -> list[str]:
    return [f"{version:020d}.json" for version in versions]


def checkpoint(version: int) -> str:
    return f"{version:020d}.checkpoint.parquet"


def part(version: int, number: int, count: int) -> str:
    return f"{version:020d}.checkpoint.{number:010d}.{count:010d}.parquet"


def test_commits_only() -> None:
    segment = build_segment(listing(*commits(0, 1, 2)), "t", "/t")
    assert (segment.version, segment.checkpoint, [version for version, _ in segment.commits]) == (2, None, [0, 1, 2])


def test_the_newest_complete_checkpoint_and_what_follows() -> None:
    names = [*commits(0, 1, 2, 3, 4), checkpoint(1), checkpoint(3)]
    segment = build_segment(listing(*names), "t", "/t")
    assert segment.checkpoint is not None
    assert (segment.checkpoint.version, [version for version, _ in segment.commits]) == (3, [4])


def test_an_older_version_uses_an_older_checkpoint() -> None:
    segment = build_segment(listing(*commits(0, 1, 2, 3), checkpoint(1), checkpoint(3)), "t", "/t", 2)
    assert segment.checkpoint is not None
    assert (segment.version, segment.checkpoint.version) == (2, 1)


def test_a_checkpoint_needs_no_commit_of_its_own() -> None:
    assert build_segment(listing(checkpoint(5)), "t", "/t").version == 5


def test_incomplete_and_empty_checkpoints_are_ignored() -> None:
    names = [*commits(0, 1, 2), part(1, 1, 2), checkpoint(2)]
    assert build_segment(listing(*names, empty=(checkpoint(2),)), "t", "/t").checkpoint is None


def test_multi_part() -> None:
    segment = build_segment(listing(*commits(0, 1), part(1, 2, 2), part(1, 1, 2)), "t", "/t")
    assert segment.checkpoint is not None
    assert [path[-31:] for path in segment.checkpoint.paths] == [part(1, 1, 2)[-31:], part(1, 2, 2)[-31:]]


def test_foreign_names_are_ignored() -> None:
    names = [*commits(0), ".00000000000000000001.json.crc", "1.tmp", "_x", "00000000000000000001.json.tmp", "x.json"]
    assert build_segment(listing(*names), "t", "/t").version == 0


def test_no_table() -> None:
    with pytest.raises(NotADeltaTableError) as caught:
        build_segment(listing("x"), "t", "/t")
    assert caught.value.condition == "DELTA_MISSING_DELTA_TABLE"


def test_a_gap_names_the_missing_file() -> None:
    with pytest.raises(LogGapError) as caught:
        build_segment(listing(*commits(0, 1, 3)), "t", "/t")
    assert caught.value.condition == "DELTA_VERSIONS_NOT_CONTIGUOUS"
    assert "00000000000000000002.json" in caught.value.message


@pytest.mark.parametrize("version", [10**9, 10**20 - 1])
def test_a_gap_is_found_however_large_it_is(version: int) -> None:
    with pytest.raises(LogGapError) as caught:
        build_segment(listing(*commits(0, 1, version)), "t", "/t")
    assert "00000000000000000002.json" in caught.value.message
    assert build_segment(listing(*commits(0, 1, version)), "t", "/t", 1).version == 1
    with pytest.raises(TruncatedLogError):
        build_segment(listing(*commits(version)), "t", "/t")


def test_a_compacted_file_may_span_any_number_of_versions() -> None:
    last = 10**20 - 1
    bridged = [*commits(0, 1, 5, last), f"{1:020d}.{last:020d}.compacted.json"]
    segment = build_segment(listing(*bridged), "t", "/t")
    assert [(item.start, item.end) for item in segment.deltas] == [(0, 0), (1, last)]
    overlong = listing(*commits(0, 1, 3), f"{0:020d}.{last:020d}.compacted.json")
    assert build_segment(overlong, "t", "/t", 1).version == 1


def test_a_gap_below_a_checkpoint_is_no_matter() -> None:
    assert build_segment(listing(*commits(0, 1, 3), checkpoint(2)), "t", "/t").version == 3


@pytest.mark.parametrize("names", [commits(1, 2), [*commits(4), checkpoint(2)]])
def test_a_truncated_log(names: list[str]) -> None:
    with pytest.raises(TruncatedLogError) as caught:
        build_segment(listing(*names), "t", "/t")
    assert caught.value.condition == "DELTA_TRUNCATED_TRANSACTION_LOG"


@pytest.mark.parametrize("version", [-1, 4, 5, 11])
def test_versions_that_are_not_there(version: int) -> None:
    with pytest.raises(VersionNotFoundError) as caught:
        build_segment(listing(*commits(3, 4, 5, 6, 7, 8, 9, 10), checkpoint(6)), "t", "/t", version)
    assert (caught.value.condition, caught.value.earliest, caught.value.latest) == ("DELTA_VERSION_NOT_FOUND", 6, 10)
