"""Symbolic links in volumes: files that they lead to are used only where these lie in the volume as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import VolumePathError

VOLUME = "/Volumes/spark_catalog/default/v"
STATEMENTS = (
    "REMOVE '{path}'",
    "GET '{path}' TO '{local}'",
    "PUT '{local}' INTO '{path}' OVERWRITE",
    "PUT '{local}' INTO '{path}'",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the volume, which is a link itself, with links in it; and files outside of it."""
    real = tmp_path / "real"
    (real / "inner").mkdir(parents=True)
    (real / "inner" / "a.txt").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "real2").mkdir()
    for name in ("outside/a.txt", "real2/a.txt", "local.txt"):
        (tmp_path / name).write_text(f"outside {name}")
    links = {
        "out.txt": tmp_path / "outside" / "a.txt",
        "relative.txt": Path("../outside/a.txt"),
        "outward": tmp_path / "outside",
        "likewise": tmp_path / "real2",
        "dangling.txt": tmp_path / "outside" / "new.txt",
        "in.txt": Path("inner/a.txt"),
        "inward": Path("inner"),
    }
    for name, target in links.items():
        (real / name).symlink_to(target)
    (tmp_path / "link").symlink_to(real)
    return tmp_path / "link"


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Iterator[deltasql.Session]:
    with deltasql.connect(str(tmp_path / "wh")) as opened:
        opened.sql(f"CREATE EXTERNAL VOLUME v LOCATION '{folder}'")
        yield opened


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize(
    "name",
    ["out.txt", "relative.txt", "outward/a.txt", "likewise/a.txt", "outward/new/b.txt", "dangling.txt", "outward"],
)
def test_a_link_that_leads_out(session: deltasql.Session, tmp_path: Path, statement: str, name: str) -> None:
    text = statement.format(path=f"{VOLUME}/{name}", local=tmp_path / "local.txt")
    with pytest.raises(VolumePathError, match="a symbolic link leads out of the volume") as refused:
        session.sql(text)
    assert refused.value.path == f"{VOLUME}/{name}"
    assert (tmp_path / "local.txt").read_text() == "outside local.txt"
    for file in ("outside/a.txt", "real2/a.txt"):
        assert (tmp_path / file).read_text() == f"outside {file}"
    assert sorted(path.name for path in (tmp_path / "outside").iterdir()) == ["a.txt"]
    assert (tmp_path / "real" / name.partition("/")[0]).is_symlink()


def test_a_link_within_the_volume(session: deltasql.Session, tmp_path: Path) -> None:
    local = tmp_path / "got.txt"
    for name in ("in.txt", "inward/a.txt", "inner/a.txt"):
        session.sql(f"GET '{VOLUME}/{name}' TO '{local}'")
        assert local.read_text() == "inside"
        local.unlink()
    session.sql(f"PUT '{tmp_path}/local.txt' INTO '{VOLUME}/inward/b.txt'")
    assert (tmp_path / "real/inner/b.txt").read_text() == "outside local.txt"
    session.sql(f"REMOVE '{VOLUME}/inward/a.txt'")
    assert not (tmp_path / "real/inner/a.txt").exists()


def test_lists(session: deltasql.Session) -> None:
    def names(path: str) -> list[str]:
        return sorted(row["name"] for row in session.sql(f"LIST '{path}'").collect())

    assert "inner/" in names(VOLUME)
    assert names(f"{VOLUME}/inner") == ["a.txt"]
    for name in ("outward", "out.txt"):
        with pytest.raises(VolumePathError, match="symbolic link"):
            session.sql(f"LIST '{VOLUME}/{name}'")
