"""The scripts of `deltasql completion`, in the shells that they are for."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.clients.cli import main
from deltasql.clients.command.options import SHELLS

LINES = {
    "deltasql --fo": ["--format"],
    "deltasql --format js": ["json", "jsonl"],
    "deltasql de": ["demo"],
    "deltasql --engine spark completion f": ["fish"],
    "deltasql test --ac": ["--accept"],
    "deltasql serve --tls-": ["--tls-certificate", "--tls-key"],
    "deltasql --warehouse wareh": ["warehouse-of-mine"],
    "deltasql test gold": ["golden"],
}
"""What may stand before the cursor, and what is offered there, where the folder has what `place` makes."""

Offered = Callable[[str], list[str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("warehouse-of-mine", "golden"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def script(request: pytest.FixtureRequest, place: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The file of the shell that a test is run with; skips where that is not installed."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert main(["completion", shell]) == 0
    file = place / f"script.{shell}"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash(script: str, place: Path) -> None:
    def offered(line: str) -> list[str]:
        words = line.split()
        code = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _deltasql"
        return _ran(place, "bash", "--norc", "-c", code + '; printf "%s\\n" "${COMPREPLY[@]}"').split()

    assert {line: offered(line) for line in LINES} == LINES
    assert not [name for name in offered("deltasql test -") if name == "--port"]


@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish(script: str, place: Path) -> None:
    def offered(line: str) -> list[str]:
        told = _ran(place, "fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
        # A description follows a tab.
        return sorted(text.partition("\t")[0].rstrip("/") for text in told.splitlines())

    assert {line: offered(line) for line in LINES} == LINES
    told = _ran(place, "fish", "--no-config", "-c", f"source {script}; complete -C 'deltasql --conf'")
    assert "--conf\ta setting, also one of Spark's; repeatable" in told.splitlines()
    assert not [name for name in offered("deltasql test --") if name == "--port"]


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh(script: str, place: Path) -> None:
    """At a terminal, for zsh completes nowhere else. One that is offered is typed, several are listed."""
    with _Terminal(place, "zsh", "-f", "-i") as terminal:
        terminal.until("ready> ")
        terminal.type("autoload -Uz compinit && compinit -D -u; bindkey -e; bindkey '^I' complete-word; LISTMAX=0\r")
        terminal.type(f"setopt no_beep; source {script}; echo so''urced\r")
        terminal.until("sourced")
        # What several begin with is typed first.
        for line, expected in {**LINES, "deltasql --format js": ["json"]}.items():
            terminal.type(f"{line}\t")
            shown = terminal.until(*expected)
            assert "error" not in shown
            assert "command not found" not in shown
            # Takes the line away.
            terminal.type("\x15")


@pytest.mark.parametrize("shell", SHELLS)
def test_each_option_of_each_command_is_offered(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", shell])
    told = capsys.readouterr().out
    for name in ("warehouse", "format", "port", "token-file", "accept", "junit", "last-failed"):
        assert f"-l {name}" in told if shell == "fish" else f"--{name}" in told


def _ran(place: Path, *words: str) -> str:
    environment = {**os.environ, "HOME": str(place), "XDG_CONFIG_HOME": str(place), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=place, env=environment)
    assert done.stderr == ""
    return done.stdout


class _Terminal:
    """A program at a terminal of its own."""

    def __init__(self, place: Path, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
            "PS1": "ready> ",
        }
        self._process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=place, env=environment, start_new_session=True
        )
        os.close(theirs)
        self._unread = ""

    def __enter__(self) -> _Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, *expected: str) -> str:
        """Reads on until all of `expected` are shown; what is behind the last of them is for the next call."""
        seen = self._unread
        while not all(text in seen for text in expected):
            # Far beyond any load: a shell that shows nothing more must not keep the tests.
            assert select.select([self._ours], [], [], 300)[0], seen
            shown = os.read(self._ours, 65536).decode(errors="replace")
            seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
        end = max(seen.index(text) + len(text) for text in expected)
        self._unread = seen[end:]
        return seen[:end]
