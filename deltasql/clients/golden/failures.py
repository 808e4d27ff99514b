"""A failure of one statement of a golden file, as text and as an annotation of GitHub Actions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

FULL_ANNOTATION = 4000
"""Most characters of a message that GitHub shows."""


@dataclass(frozen=True, slots=True)
class OutputFailure:
    """A failure at `line` (from 1) of `file`; `message` is a sentence or a title, `diff` a unified diff or ""."""

    file: Path
    line: int
    message: str
    diff: str = ""

    def __str__(self) -> str:
        return "\n".join([f"{self.file}:{self.line}: {self.message}", *([self.diff] if self.diff else [])])

    @property
    def annotation(self) -> str:
        """The workflow command by which GitHub Actions annotate the line."""
        file = _property(_in_workspace(self.file))
        text = self.diff or self.message
        return f"::error file={file},line={self.line},title={_property(self.message)}::{_data(text[:FULL_ANNOTATION])}"


def wants_annotations() -> bool:
    """Whether this runs in GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _in_workspace(file: Path) -> str:
    """The path relative to the root of the checkout, as GitHub requires; absolute for a file outside of it."""
    absolute = file.resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return (absolute.relative_to(root) if root in absolute.parents else absolute).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
