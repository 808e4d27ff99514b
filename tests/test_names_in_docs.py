"""Files, modules and names of the code that README.md and docs mention exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from tests.source_trees import ROOT, refuse

PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOR_DEVELOPERS = [
    ROOT / "benchmarks" / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in ("architecture", "contributing", "decisions", "lost-races", "releasing")
    ),
]
"""Pages on the code: each name in them is one of the code."""

FOLDERS = ("deltasql", "grammar", "tests", "docs", "benchmarks", "sql_examples", ".ci")
SOURCES = {".py", ".lark", ".toml", ".md", ".yml", ""}

GENERATED = {"build/site"}
"""Folders that commands of the project create, which a clone lacks."""

OF_READERS = {"tests/sql", "tests/sql_unit"}
"""Folders of a reader's project, on the pages for users."""

_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_SUFFIX = r"\.(?:py|lark|sql|out|toml|svg|json|yml)(?!\w)"
_FILE = re.compile(rf"(?![A-Z]\w+\.sql)[\w./{{}},*-]+{_SUFFIX}|(?:[\w{{}},*-]+/)+[\w{{}},*-]*")
_MODULE = re.compile(r"\bpython3? -m ((?:deltasql|docs|tests|benchmarks)\b[\w.]*)")
_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b")
_PLACEHOLDER = re.compile(r"[<>…*?]|\bDIR\b|\bPATH\b")


def code_of(page: Path) -> Iterator[tuple[int, str]]:
    """Inline code of a page, with its lines."""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for text in _CODE.findall(line):
            yield number, text


@cache
def files() -> frozenset[str]:
    """The files of the repository, by their paths."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    return frozenset(path.relative_to(ROOT).as_posix() for path in [*found, *ROOT.glob("*")])


@cache
def words() -> frozenset[str]:
    """The words of the sources, of which names of classes, functions, rules and fixtures are some."""
    found: set[str] = set()
    for name in files():
        path = ROOT / name
        if path.suffix in SOURCES and path.is_file() and path not in PAGES and path.name != "CHANGELOG.md":
            found |= {path.stem, *re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    return frozenset(found)


def alternatives(name: str) -> list[str]:
    """The paths that a path with `{a,b}` stands for."""
    parts = re.split(r"\{([^{}]*)\}", name)
    return ["".join(way) for way in product(*(part.split(",") if i % 2 else [part] for i, part in enumerate(parts)))]


def exists(name: str, page: Path) -> bool:
    """Whether a path is one of the repository: from its top, from deltasql, from the page, or as the end of a path."""
    wanted = name.rstrip("/")
    if wanted in GENERATED:
        return True
    if "*" in wanted:
        return any(any(folder.glob(wanted)) for folder in (ROOT, ROOT / "deltasql", page.parent))
    return (page.parent / wanted).exists() or any(f"/{file}".endswith(f"/{wanted}") for file in files())


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.parent.name + "/" + page.name)
def test_files_on_pages_for_developers_exist(page: Path) -> None:
    refuse(
        [
            f"{page.name}:{line}: there is no {path}"
            for line, text in code_of(page)
            if _FILE.fullmatch(text)
            for path in alternatives(text)
            if not exists(path, page)
        ]
    )


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.parent.name + "/" + page.name)
def test_names_on_pages_for_developers_exist(page: Path) -> None:
    refuse(
        [
            f"{page.name}:{line}: nothing in the code is called {name}"
            for line, text in code_of(page)
            if not _PLACEHOLDER.search(text)
            for name in _NAME.findall(text)
            if name not in words()
        ]
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_of_the_repository_exist(page: Path) -> None:
    """On all pages: paths that begin with a folder of the repository."""
    refuse(
        [
            f"{page.name}:{line}: there is no {path}"
            for line, text in code_of(page)
            for word in text.split()
            if word.startswith(tuple(f"{folder}/" for folder in FOLDERS)) and not _PLACEHOLDER.search(word)
            for path in alternatives(word.partition("::")[0])
            if not path.startswith(tuple(OF_READERS)) and not _is_file(path)
        ]
    )


def _is_file(path: str) -> bool:
    return any((ROOT / f"{path}{suffix}").exists() for suffix in ("", ".py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_are_run_exist(page: Path) -> None:
    refuse(
        [
            f"{page.name}: there is no module {name}"
            for name in _MODULE.findall(page.read_text(encoding="utf-8"))
            if not _is_file(name.replace(".", "/"))
        ]
    )


def test_what_does_not_exist_is_found() -> None:
    assert alternatives("a/{b,c}.py") == ["a/b.py", "a/c.py"]
    page = ROOT / "docs" / "architecture.md"
    assert exists("base/tokens.py", page)
    assert exists("measured/*.json", ROOT / "benchmarks" / "README.md")
    assert not exists("ase/tokens.py", page)
    assert _NAME.findall("`StagedTable.commit` drop_columns Scan ROW") == ["StagedTable", "drop_columns"]


def test_the_architecture_describes_each_folder() -> None:
    described = {path for _, code in code_of(ROOT / "docs" / "architecture.md") for path in alternatives(code)}
    folders = [path for path in sorted((ROOT / "deltasql").iterdir()) if (path / "__init__.py").exists()]
    missing = [f"deltasql/{path.name}/" for path in folders if f"deltasql/{path.name}/" not in described]
    assert not missing, f"docs/architecture.md has no line for {', '.join(missing)}"
