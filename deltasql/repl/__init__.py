"""The interactive shell: reading of statements over several lines, commands with a backslash, completion, colours.

Runs statements through a Session like any caller. How rows look is in `render`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.repl.prompt import prompt_session
from deltasql.repl.shell import Shell

if TYPE_CHECKING:
    from deltasql.session import Session

__all__ = ["start"]


def start(session: Session, style: str = "auto", stack: bool = False) -> int:
    """Reads statements from the terminal until Ctrl-D or the command q; the exit code. `session` stays open."""
    shell = Shell(session, style=style, stack=stack)
    return shell.loop(prompt_session(session))
