"""The interactive shell: reading of statements over several lines, commands with a backslash, completion, colours.

Runs statements through a Session like any caller. How rows look is in `render`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltasql.clients.repl.commands import Preferences
from deltasql.clients.repl.prompt import asker, prompt_session
from deltasql.clients.repl.shell import Shell, Terminal
from deltasql.session import Session

__all__ = ["Preferences", "start"]


def start(
    session: Session,
    style: str = "auto",
    stack: bool = False,
    preferences: Preferences | None = None,
    args: Mapping[str, Any] | None = None,
) -> int:
    """Reads statements from the terminal until Ctrl-D or the command q; the exit code. `session` stays open.

    `args` are the values of parameters that statements name.
    """
    shell = Shell(session, style, stack, preferences, args, Terminal(ask=asker()))
    return shell.loop(prompt_session(session))
