import pytest

from deltasql.log.storage.paths import absolute, canonical, local_path


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
