"""Which tests a worker gets together, and which come first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import PARTS, PLACES, part, parts
from tests.scheduling import RANKS, SPLIT, TOGETHER, rank, scope

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/interop/test_clones.py::test_x[a::b]", "delta-spark"),
        ("tests/oracle/test_scenarios.py::test_scenario[a]", "delta-spark"),
        ("tests/oracle/test_answers.py::test_x", "tests/oracle/test_answers.py"),
        ("tests/test_goldens.py::test_golden[a::b/c]", "tests/test_goldens.py::test_golden[a::b/c]"),
        ("tests/unit/log/test_x.py::test_y[a::b]", "tests/unit/log/test_x.py"),
    ],
)
def test_what_stays_together(test: str, expected: str) -> None:
    assert scope(test) == expected


def test_the_long_ones_come_first() -> None:
    scopes = [
        "tests/unit/a.py",
        "tests/test_a.py::test_b[tests/unit/]",
        "tests/clusters/a.py",
        "connectors",
        "delta-spark",
    ]
    assert sorted(scopes, key=rank) == scopes[::-1]


def test_all_that_is_named_is_there() -> None:
    named = [*SPLIT, *(place for files in TOGETHER.values() for place in files), *(set(RANKS) - set(TOGETHER))]
    assert [place for place in named if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(
    ("test", "marks", "expected"),
    [
        ("tests/unit/log/test_x.py::test_y", (), "default"),
        ("tests/unit/log/test_x.py::test_y", ("spark",), "rest"),
        ("tests/session/test_rows.py::test_a[a]", ("spark", "parametrize"), "default"),
        ("tests/sail/test_x.py::test_y", (), "rest"),
        ("tests/suites/test_x.py::test_y", ("spark",), "nightly"),
    ],
)
def test_the_part_of_a_test(test: str, marks: tuple[str, ...], expected: str) -> None:
    assert part(test, frozenset(marks)) == expected
    assert expected in parts(test.partition("::")[0])


def test_files_of_one_part_are_not_collected_for_another() -> None:
    assert parts("tests/unit/log/test_x.py") == {"default", "rest"}
    assert parts("tests/sail/test_x.py") == {"rest"}
    assert parts("tests/sail/test_statements.py") == {"default"}


def test_places_are_there_and_on_the_page() -> None:
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    for place in PLACES:
        assert place.part in PARTS
        assert (ROOT / place.path.partition("::")[0]).exists(), place.path
        mark = f", mark `{place.mark}`" if place.mark else ""
        row = f"| `{place.path}`{mark} | {place.part} | {place.reason} |"
        assert row in page.splitlines(), f"docs/contributing.md lacks: {row}"


def test_the_command_of_the_readme_is_the_first_of_the_checks() -> None:
    command = ".venv/bin/python -m pytest -n auto"
    install = ".venv/bin/pip install -q -e '.[test]'"
    assert f"{install} && {command}" in (ROOT / "README.md").read_text(encoding="utf-8")
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"{install} && {command}".replace(".venv/", ".venv-ci/") in checks


def test_a_test_that_ends_its_process_runs_once(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_xdist_make_scheduler\n")
    (folder / "test_three.py").write_text(
        "import os\ndef test_a(): pass\ndef test_ends(): os._exit(1)\ndef test_b(): pass\n"
    )
    options = ["-n1", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-p", "no:deltasql"]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 failed, 2 passed" in run.stdout, run.stdout + run.stderr
