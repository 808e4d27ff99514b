"""Options of streams that read tables: what each comes to, and what they cannot be."""

from __future__ import annotations

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.files.frame_options import stream_options
from deltasql.log.stream_source import StreamRules


def test_nothing_said() -> None:
    options = stream_options({})
    assert options.rules == StreamRules()
    assert (options.most_files, options.most_bytes) == (1000, float("inf"))


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ({"startingversion": "3"}, StreamRules(starting_version=3)),
        ({"startingversion": "Latest"}, StreamRules(from_latest=True)),
        ({"startingtimestamp": "1970-01-01T00:00:01Z"}, StreamRules(starting_micros=1_000_000)),
        (
            {"startingtimestamp": "1970-01-01 09:00:01", "deltasql.timezone": "Asia/Tokyo"},
            StreamRules(starting_micros=1_000_000),
        ),
        ({"ignoredeletes": "TRUE"}, StreamRules(ignore_deletes=True)),
        ({"ignorechanges": "true"}, StreamRules(ignore_changes=True)),
        ({"ignorefiledeletion": "true"}, StreamRules(ignore_changes=True)),
        ({"skipchangecommits": "true"}, StreamRules(skip_change_commits=True)),
        ({"readchangefeed": "true"}, StreamRules(change_feed=True)),
        ({"readchangedata": "true"}, StreamRules(change_feed=True)),
        ({"failondataloss": "false"}, StreamRules(fail_on_data_loss=False)),
        ({"excluderegex": "^a"}, StreamRules(exclude="^a")),
        ({"nobodyknows": "x"}, StreamRules()),
    ],
)
def test_rules(given: dict[str, str], rules: StreamRules) -> None:
    assert stream_options(given).rules == rules


def test_limits() -> None:
    options = stream_options({"maxfilespertrigger": "7", "maxbytespertrigger": "10kb"})
    assert (options.most_files, options.most_bytes) == (7, 10 * 1024)


@pytest.mark.parametrize(
    ("given", "condition"),
    [
        (
            {"startingversion": "0", "startingtimestamp": "2020-01-01"},
            "DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET",
        ),
        ({"startingversion": "x"}, "DELTA_ILLEGAL_OPTION"),
        ({"startingversion": "-1"}, "DELTA_ILLEGAL_OPTION"),
        ({"startingtimestamp": "x"}, "DELTA_TIMESTAMP_INVALID"),
        ({"maxfilespertrigger": "0"}, "DELTA_ILLEGAL_OPTION"),
        ({"maxfilespertrigger": "few"}, "DELTA_ILLEGAL_OPTION"),
        ({"maxbytespertrigger": "much"}, "DELTA_ILLEGAL_OPTION"),
        ({"maxbytespertrigger": "0"}, "DELTA_ILLEGAL_OPTION"),
        ({"ignoredeletes": "yes"}, "DELTA_ILLEGAL_OPTION"),
        ({"excluderegex": "("}, "DELTA_REGEX_OPT_SYNTAX_ERROR"),
        ({"versionasof": "0"}, "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS"),
        ({"timestampasof": "2020-01-01"}, "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS"),
        ({"schematrackinglocation": "/x"}, "DELTA_STREAMING_UNSUPPORTED_OPTION"),
        ({"schemalocation": "/x"}, "DELTA_STREAMING_UNSUPPORTED_OPTION"),
    ],
)
def test_what_is_refused(given: dict[str, str], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        stream_options(given)
    assert caught.value.condition == condition
