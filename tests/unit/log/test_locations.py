"""One place, one location, however it is spelt."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base.errors import UnsupportedLocationError
from deltasql.log.storage.listing import (
    absolute_location,
    canonical,
    hadoop_location,
    is_local,
    plain_location,
    scheme,
    table_location,
)
from deltasql.log.storage.stores import Stores


@pytest.mark.parametrize(
    ("spelt", "location"),
    [
        ("s3a://b/t/", "s3://b/t"),
        ("S3A://b/T", "s3://b/T"),
        ("s3n://b/t", "s3://b/t"),
        ("s3://b", "s3://b"),
        ("abfs://c@a.dfs.core.windows.net/t", "abfss://c@a.dfs.core.windows.net/t"),
        ("gcs://b/t//", "gs://b/t"),
        ("memory:///t", "memory:///t"),
        ("file:///a%20b/", "/a b"),
        ("file:/a", "/a"),
        ("/a/b/", "/a/b"),
        # A blank or a percent sign in the name of an object is itself.
        ("s3a://b/a%20b c", "s3://b/a%20b c"),
    ],
)
def test_locations_of_tables(spelt: str, location: str) -> None:
    assert table_location(spelt) == location
    assert absolute_location(spelt) == location


def test_a_relative_path_is_one_of_the_working_directory() -> None:
    assert absolute_location("t") == str(Path("t").absolute())


def test_as_hadoop_spells_it() -> None:
    assert [hadoop_location(place) for place in ("s3://b/t", "gs://b/t", "/t", "memory:///t")] == [
        "s3a://b/t",
        "gs://b/t",
        "/t",
        "memory:///t",
    ]


def test_schemes() -> None:
    assert [scheme(place) for place in ("s3a://b", "GS://b", "/a:b", "file:/a")] == ["s3", "gs", "file", "file"]
    assert not is_local("s3://b")


def test_a_file_of_a_table_by_any_scheme() -> None:
    """A log that Spark wrote may name it by s3a://, as `_metadata.file_path` does."""
    assert canonical("s3a://b/t/p=1/f%20g", "s3://b/t") == "p=1/f g"
    assert canonical("s3://b/other/f", "s3://b/t") == "s3://b/other/f"
    assert plain_location("file://host/a") == "/a"


def test_a_location_with_a_nul_is_refused() -> None:
    """As a damaged catalog may name one."""
    with pytest.raises(UnsupportedLocationError, match="NUL"):
        Stores().open("/a\0b")
