"""The files of a suite that failed in its last run, stored in the user's cache outside of the project."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class LastFailed:
    """The failed files of the suite at a path; empty where the cache cannot be written."""

    def __init__(self, directory: Path) -> None:
        self._path = _record_path(directory)

    def read(self) -> set[Path]:
        """Resolved paths."""
        with suppress(OSError, ValueError, TypeError):
            if self._path is not None:
                return {Path(path) for path in json.loads(self._path.read_text(encoding="utf-8"))}
        return set()

    def write(self, ran: Iterable[Path], failed: Iterable[Path]) -> None:
        """Of the files that ran, `failed` are those that did; what is known of others stays."""
        paths = self.read().difference(path.resolve() for path in ran) | {path.resolve() for path in failed}
        if self._path is None:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(sorted(map(str, paths))), encoding="utf-8")


def _record_path(directory: Path) -> Path | None:
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:
        # There is no home directory.
        return None
    name = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return root / "deltasql" / "last-failed" / f"{name}.json" if root.is_absolute() else None
