"""Files of SQL that the command line names."""

from __future__ import annotations

import sys
from pathlib import Path

from deltasql.errors.usage import ScriptUnreadableError


def read_script(path: str) -> str:
    """The text of a file, or of stdin for `-`. Raises ScriptUnreadableError."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScriptUnreadableError(path=path, reason=reason) from None
    return text.removeprefix("\ufeff")


def shown_name(path: str) -> str:
    """The name of a file in messages."""
    return "<stdin>" if path == "-" else path
