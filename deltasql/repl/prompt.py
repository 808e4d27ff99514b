"""The line editor: when input is complete, its history, colours and completion."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output

from deltasql.parser import is_complete, unclosed
from deltasql.repl.completion import SqlCompleter
from deltasql.repl.highlight import sql_lexer

if TYPE_CHECKING:
    from deltasql.session import Session


def prompt_session(
    session: Session, terminal: Input | None = None, screen: Output | None = None, history: History | None = None
) -> PromptSession[str]:
    """A prompt that goes on over lines until the input is a whole statement. `terminal` and `screen` are for tests."""
    return PromptSession(
        message=lambda: f"{session.catalog.current_schema}> ",
        prompt_continuation=_continuation,
        multiline=Condition(lambda: not is_whole(get_app().current_buffer.text)),
        history=history or user_history(),
        lexer=PygmentsLexer(sql_lexer()),
        completer=SqlCompleter(session),
        complete_while_typing=False,
        complete_in_thread=True,
        enable_open_in_editor=False,
        input=terminal,
        output=screen,
    )


def is_whole(text: str) -> bool:
    """Whether Enter runs `text`: blank, a command of the shell, or statements the last of which ends with `;`."""
    stripped = text.strip()
    return not stripped or stripped.startswith("\\") or stripped.lower() in {"exit", "quit"} or is_complete(text)


def user_history() -> History:
    """What was typed in earlier sessions; only this session's where no file can be kept."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "deltasql" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _continuation(width: int, line: int, *_: Any) -> str:
    """Tells in front of a line which quote, comment or bracket is still open there."""
    above = get_app().current_buffer.text.split("\n")[:line]
    return continuation("\n".join(above), width)


def continuation(above: str, width: int) -> str:
    """The prompt of the line that goes on after the lines `above`."""
    return f"{unclosed(above)}> ".rjust(width)
