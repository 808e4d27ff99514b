"""Every block of code in README.md and docs runs, and says what it says there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients import cli
from deltasql.session.script.parsing import parse_script
from deltasql.sql.parser import is_script, parse, split

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+)\)")


class Code(NamedTuple):
    """A fenced block; `line` is where it begins. `file` is its title: a file that the reader writes."""

    page: str
    line: int
    language: str
    text: str
    file: str


def blocks(*languages: str) -> list[Code]:
    return [code for page in PAGES for code in _blocks(page) if code.language in languages]


def _blocks(page: Path) -> Iterator[Code]:
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield Code(page.name, text.count("\n", 0, match.start()) + 1, match[1], match[3], match[2] or "")


def _id(code: Code) -> str:
    return f"{code.page}:{code.line}"


@pytest.mark.spark
@pytest.mark.usefixtures("elsewhere")
def test_python_blocks_run_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing asks the catalogs that are configured on the pages.
    monkeypatch.setenv("UNITY_TOKEN", "a-token")
    namespace: dict[str, object] = {}
    for code in blocks("python"):
        exec(compile("\n" * code.line + code.text, code.page, "exec"), namespace)


@pytest.mark.spark
@pytest.mark.parametrize("code", [code for code in blocks("sql") if code.page == "README.md"], ids=_id)
def test_sql_blocks_run(code: Code, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        for result in session.run(code.text):
            result.collect()


@pytest.mark.parametrize("code", [code for code in blocks("sql") if code.page != "README.md"], ids=_id)
def test_sql_blocks_parse(code: Code) -> None:
    for statement in split(code.text):
        if is_script(statement.text):
            parse_script(statement.text)
        else:
            parse(statement.text)


@pytest.mark.spark
def test_console_blocks_print_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands of one page share a directory, as its reader would type them, with the files that the page names."""
    for page in PAGES:
        (tmp_path / page.name).mkdir()
        monkeypatch.chdir(tmp_path / page.name)
        for code in _blocks(page):
            if code.file:
                Path(code.file).parent.mkdir(parents=True, exist_ok=True)
                Path(code.file).write_text(code.text, encoding="utf-8")
            for command, expected in _COMMAND.findall(code.text) if code.language == "console" else ():
                program, *arguments = shlex.split(command)
                assert program == "deltasql"
                cli.main(arguments)
                said = "".join(capsys.readouterr())
                assert _SECONDS.sub("0.0 s", said) == _SECONDS.sub("0.0 s", expected), f"{page.name}: {command}"


def test_shell_blocks_name_what_is_there() -> None:
    for code in blocks("sh"):
        for word in shlex.split(code.text):
            if word.endswith((".sql", ".py")):
                assert (ROOT / word).exists(), word


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_errors_have_what_the_readme_promises() -> None:
    assert {"condition", "sqlstate", "message", "caret"} <= set(dir(DeltaSqlError))
