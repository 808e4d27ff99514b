"""Paths of data files and locations of tables: how the log spells them, and what they come to."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import quote

import pytest

from deltasql.log.storage.listing import (
    absolute,
    absolute_location,
    canonical,
    decode_path,
    encode_path,
    local_path,
    located,
    relative_path,
    table_location,
    table_uri,
)

HOSTILE = [
    "plain.parquet",
    "p=a b/f",
    "p=a%20b/f",
    "p=%2520/100%/%",
    "p=a:b/c d",
    "q?x=1#fragment",
    "back\\slash",
    '"quoted" \'`',
    "line\nfeed\ttab\x7f\x00",
    "é/\u00e9/e\u0301/日本/\U0001f600",
    "nbsp\u00a0\u2003\u2028\u0085",
    "[brackets]{braces}|^<>",
    "+plus&amp;=,;@$!*()~",
    ".hidden/..dots/...",
    "trailing ",
    " leading",
    "file in a name",
    "a//b",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_encoded_is_decoded(name: str) -> None:
    encoded = encode_path(name)
    assert decode_path(encoded) == name
    assert canonical(encoded, "/data/a %41") == name
    assert absolute(encoded, "/data/a %41") == f"/data/a %41/{name}"
    assert not set(encoded) & set(' %"#?[]{}|^<>`\\\n') - {"%"}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("root", ["/t", "/data/a %41", "/ü/#"])
def test_absolute_paths_come_to_the_same(name: str, root: str) -> None:
    place = f"{root}/{name}"
    for uri in (encode_path(place), f"file:{encode_path(place)}", f"file://{encode_path(place)}"):
        assert canonical(uri, root) == name
        assert absolute(uri, root) == place
        assert decode_path(uri) == place
    assert canonical(encode_path(place), "/other") == place
    assert located(relative_path(place, root), root) == place


def test_any_text_is_decoded() -> None:
    chosen = random.Random(5)
    for _ in range(2000):
        text = "".join(chr(chosen.choice([*range(1, 0x250), 0x2028, 0xFFFD, 0x1F600])) for _ in range(12))
        assert decode_path(encode_path(f"x/{text}")) == f"x/{text}"
        assert decode_path(quote(f"x/{text}")) == f"x/{text}"


def test_what_java_net_uri_quotes() -> None:
    assert encode_path("a b/é=%21+#?\u00a0") == "a%20b/é=%2521+%23%3F%C2%A0"


def test_objects() -> None:
    assert decode_path("s3://b/a%20b") == "s3://b/a b"
    assert canonical("s3://b/t/p=a%2520b/f", "s3://b/t") == "p=a%20b/f"
    assert absolute("p=a%20b/f", "s3://b/t") == "s3://b/t/p=a b/f"
    assert absolute("s3://b/k", "s3://c/t") == "s3://b/k"
    assert encode_path("s3://b/a b") == "s3://b/a%20b"


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a/b.parquet", "a/b.parquet"),
        ("p=a%2520b/f", "p=a%20b/f"),
        ("/data/t/f", "f"),
        ("file:/data/t/f", "f"),
        ("file:///data/t/f%20g", "f g"),
        ("file:///other/f", "/other/f"),
        ("/other/f", "/other/f"),
        ("s3://b/k", "s3://b/k"),
    ],
)
def test_canonical(path: str, plain: str) -> None:
    assert canonical(path, "/data/t") == plain


def test_absolute() -> None:
    assert absolute("p=a%2520b/f", "/t") == "/t/p=a%20b/f"
    assert absolute("file:///other/f", "/t") == "/other/f"
    assert absolute("s3://b/k", "s3://c/t") == "s3://b/k"


def test_local_path() -> None:
    assert local_path("file:///a%20b/") == "/a b"
    assert local_path("file:/a") == "/a"
    assert local_path("file://localhost/a") == "/a"
    assert local_path("/a%20b/") == "/a%20b"
    assert local_path("file:///") == "/"


def test_one_place_has_one_location() -> None:
    for place in ("/a b", "/a b/", "file:/a%20b", "file:///a%20b/", "file://localhost/a%20b"):
        assert table_location(place) == "/a b"
    assert table_location("/a%20b") == "/a%20b"
    assert table_location("s3://b/t/") == "s3://b/t"


def test_places_as_users_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_location("a #?%41/t/") == f"{tmp_path}/a #?%41/t"
    assert absolute_location("file:///a%20b//c%23/") == "/a b/c#"
    assert absolute_location("/a//b/./c/") == "/a/b/c"
    assert absolute_location("s3://b/t/") == "s3://b/t"


def test_uris_of_hadoop() -> None:
    assert table_uri("/a b") == "file:/a b"
    assert table_uri("s3://b/t") == "s3://b/t"
