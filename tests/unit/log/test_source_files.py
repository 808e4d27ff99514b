"""Which files of a location are meant, and which are whole."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from deltasql.log.source_files import Choice, broken_files, find_source, glob_expression
from deltasql.log.storage import local_store
from deltasql.log.storage.log_store import Entry, whole_check
from deltasql.log.storage.stores import Stores

FILES = (
    *("a.csv", "b.csv", "c.json", "_SUCCESS", ".hidden.csv", "x._COPYING_", "sub/d.csv", "sub/deep/e.csv"),
    *("p=1/f.csv", "p=1/_q=2/g.csv", "_tmp/h.csv", "p=1/_odd/i.csv", "a b %41.csv"),
)
OPEN = Stores().open


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path / "in"


def found(place: str, choice: Choice = Choice()) -> list[str]:  # noqa: B008 - it is frozen
    source = find_source(OPEN, place, choice)
    return [file.path.removeprefix(f"{source.root}/") for file in source.files]


def test_a_folder_with_its_partitions(folder: Path) -> None:
    assert found(str(folder)) == ["a b %41.csv", "a.csv", "b.csv", "c.json", "p=1/_q=2/g.csv", "p=1/f.csv"]
    for same in (f"file://{folder}/", f"{folder}/sub/../", f"{folder}//."):
        assert find_source(OPEN, same, Choice()) == find_source(OPEN, str(folder), Choice())


def test_what_is_known_is_not_looked_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100,000 known files the look at each took half of the time."""
    looked = []
    plain = local_store._entry_of

    def found(below: str, item: os.DirEntry[str]) -> Entry | None:
        looked.append(item.name)
        return plain(below, item)

    monkeypatch.setattr(local_store, "_entry_of", found)
    known = {f"{folder}/{name}" for name in FILES} - {f"{folder}/p=1/f.csv"}
    source = find_source(OPEN, str(folder), Choice(recursive=True), known)
    assert ([file.path for file in source.files], looked) == ([f"{folder}/p=1/f.csv"], ["f.csv"])
    gone = find_source(OPEN, str(folder), Choice(), {f"{folder}/{name}" for name in FILES})
    assert gone.files == ()


def test_all_folders(folder: Path) -> None:
    more = set(found(str(folder), Choice(recursive=True))) - set(found(str(folder)))
    assert more == {"sub/d.csv", "sub/deep/e.csv"}


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("*.csv", ["a b %41.csv", "a.csv", "b.csv", "p=1/_q=2/g.csv", "p=1/f.csv"]),
        ("[ab].csv", ["a.csv", "b.csv"]),
        ("[^a].*", ["b.csv", "c.json", "p=1/_q=2/g.csv", "p=1/f.csv"]),
        ("{a,c}.{csv,json}", ["a.csv", "c.json"]),
        ("sub/*.csv", ["sub/d.csv"]),
        ("{sub,p=*}/?.csv", ["p=1/f.csv", "sub/d.csv"]),
        ("*/*/*.csv", ["p=1/_q=2/g.csv", "sub/deep/e.csv"]),
        ("_SUCCESS", []),
    ],
)
def test_patterns(folder: Path, glob: str, names: list[str]) -> None:
    assert found(str(folder), Choice(glob)) == names


def test_names(folder: Path) -> None:
    assert found(str(folder), Choice(names=("sub/d.csv", "./a.csv", "a.csv"))) == ["a.csv", "sub/d.csv"]
    for missing in ("nope.csv", "_SUCCESS", "../in/a.csv", "sub"):
        with pytest.raises(FileNotFoundError, match=missing):
            found(str(folder), Choice(names=("a.csv", missing)))


def test_a_location_that_is_a_file_or_a_pattern(folder: Path) -> None:
    assert found(str(folder / "a b %41.csv")) == ["a b %41.csv"]
    assert found(f"{folder}/*.json") == ["c.json"]
    assert found(f"{folder}/s*") == ["sub/d.csv"]
    assert found(f"{folder}/{{s*,a.csv}}", Choice(recursive=True)) == ["a.csv", "sub/d.csv", "sub/deep/e.csv"]
    assert found(f"{folder}/z*") == []
    with pytest.raises(FileNotFoundError):
        found(f"{folder}/nope")


def test_an_empty_folder_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert found(str(tmp_path / "empty")) == []


def test_a_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "t" / "_delta_log").mkdir(parents=True)
    (tmp_path / "t" / "_delta_log" / "0.json").write_text("")
    assert find_source(OPEN, str(tmp_path / "t"), Choice()).is_table


def test_objects() -> None:
    store = OPEN("memory:/source-files")
    for name in FILES:
        store.overwrite(f"in/{name}", b"x")
    assert found("memory:/source-files/in") == [
        *("a b %41.csv", "a.csv", "b.csv", "c.json", "p=1/_q=2/g.csv", "p=1/f.csv")
    ]
    assert found("memory:/source-files/in/a.csv") == ["a.csv"]
    with pytest.raises(FileNotFoundError):
        found("memory:/source-files/in/nope")


@pytest.mark.parametrize(
    ("glob", "matches", "others"),
    [
        ("a,b", ["a,b"], ["a"]),
        ("a.b", ["a.b"], ["axb"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b", "abc"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x"]),
        ("[!a]", ["b"], ["a", "/"]),
        (r"\*", ["*"], ["a"]),
        ("}", ["}"], ["{"]),
    ],
)
def test_globs(glob: str, matches: list[str], others: list[str]) -> None:
    expression = glob_expression(glob)
    assert all(map(expression.fullmatch, matches))
    assert not any(map(expression.fullmatch, others))


@pytest.mark.parametrize("glob", ["[a", "{a,b", "a\\", "[z-a]"])
def test_what_is_no_glob(glob: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        glob_expression(glob)


def test_whole_files(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import orc, parquet

    rows = pa.table({"a": [1, 2]})
    parquet.write_table(rows, tmp_path / "good.parquet")
    orc.write_table(rows, str(tmp_path / "good.orc"))
    (tmp_path / "good.csv.gz").write_bytes(gzip.compress(b"1\n") + gzip.compress(b"2\n"))
    (tmp_path / "good.avro").write_bytes(b"Obj\x01rest")
    (tmp_path / "empty.csv.gz").write_bytes(b"")
    for name in ("good.parquet", "good.orc", "good.csv.gz", "good.avro"):
        data = (tmp_path / name).read_bytes()
        (tmp_path / name.replace("good", "cut")).write_bytes(data[: len(data) // 3 if "avro" not in name else 2])
        (tmp_path / name.replace("good", "none")).write_bytes(b"")
    for kind in ("parquet", "orc", "avro", "csv"):
        files = find_source(OPEN, f"{tmp_path}/*.{kind}*", Choice()).files
        broken = broken_files(OPEN, files, whole_check(kind))
        bad = {"cut"} if kind == "csv" else {"cut", "none"}
        assert {Path(path).name.partition(".")[0] for path in broken} == bad
