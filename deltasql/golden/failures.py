"""What is wrong with one statement of a golden file, for people and for the pages of GitHub."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

FULL_ANNOTATION = 4000
"""Characters of a message that GitHub shows on its page."""


@dataclass(frozen=True, slots=True)
class OutputFailure:
    """`line` of `file`, from 1, is where to look; `message` is one sentence or a title, `diff` what differs, or ""."""

    file: Path
    line: int
    message: str
    diff: str = ""

    def __str__(self) -> str:
        return "\n".join([f"{self.file}:{self.line}: {self.message}", *([self.diff] if self.diff else [])])

    @property
    def annotation(self) -> str:
        """The command that GitHub Actions read from a program's output, so as to mark the line."""
        file = _property(_in_workspace(self.file))
        text = self.diff or self.message
        return f"::error file={file},line={self.line},title={_property(self.message)}::{_data(text[:FULL_ANNOTATION])}"


def wants_annotations() -> bool:
    """Whether this runs in GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _in_workspace(file: Path) -> str:
    """The path from the root of the checkout: no other is found."""
    absolute = file.resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return (absolute.relative_to(root) if root in absolute.parents else absolute).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
