"""The line editor of the shell, and confirmation questions before destructive statements.

The editor detects complete input, and has history, colours and completion. Statements that delete or change all rows of
a table, or drop it, are confirmed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, get_app_session
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from deltasql.base import (
    COMMENT_CLOSING,
    COMMENT_OPENING,
    LINE_COMMENT,
    QUOTED_NAME,
    STRING,
    WORD,
    DeltaSqlError,
    has_secret,
)
from deltasql.clients.repl.commands import OPEN_LITERALS, row_count, rows_text, sent
from deltasql.clients.repl.completion import SqlCompleter
from deltasql.plan import LogicalPlan, TableName
from deltasql.session import Session
from deltasql.sql import is_complete, keywords, unclosed
from deltasql.statements import Delete, DropCatalog, DropSchema, DropTable, TruncateTable, Update


def prompt_session(
    session: Session, terminal: Input | None = None, screen: Output | None = None, history: History | None = None
) -> PromptSession[str]:
    """A prompt that reads lines until the input is complete. `terminal` and `screen` are for tests."""

    def typed() -> str:
        # In a search the current buffer is that of the search: what counts is the input below it.
        return prompt.default_buffer.text

    def continuing(width: int, line: int, *_: Any) -> str:
        """The prompt of a further line, with the quote, comment or bracket that is still open there."""
        return continuation("\n".join(typed().split("\n")[:line]), width)

    _ask_for_no_position(screen)
    prompt: PromptSession[str] = PromptSession(
        message=lambda: f"{session.catalog.current_schema}> ",
        prompt_continuation=continuing,
        multiline=Condition(lambda: not is_whole(typed())),
        key_bindings=_bindings(typed),
        history=history or user_history(),
        lexer=PygmentsLexer(sql_lexer()),
        completer=SqlCompleter(session),
        complete_while_typing=False,
        complete_in_thread=True,
        enable_open_in_editor=False,
        input=terminal,
        output=screen,
    )
    return prompt


def asker(terminal: Input | None = None, screen: Output | None = None) -> Callable[[str], bool]:
    """A function that asks a question; True for the answers y and yes. `terminal` and `screen` are for tests."""

    def ask(question: str) -> bool:
        _ask_for_no_position(screen)
        prompt: PromptSession[str] = PromptSession(history=InMemoryHistory(), input=terminal, output=screen)
        try:
            return prompt.prompt(f"{question} Run it? [y/N] ").strip().lower() in {"y", "yes"}
        except (EOFError, KeyboardInterrupt):
            return False

    return ask


def _ask_for_no_position(screen: Output | None) -> None:
    """Keeps the editor from querying the cursor position of the terminal, which is not needed.

    Where the terminal does not answer, each Enter would wait a second, and a Ctrl-C within that second would be lost.
    """
    output = screen or get_app_session().output
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False


def _bindings(typed: Callable[[], str]) -> KeyBindings:
    """Key bindings: Enter within a literal, a quoted name or a comment inserts a line break without indentation."""
    bindings = KeyBindings()

    @Condition
    def in_literal() -> bool:
        buffer = get_app().current_buffer
        inside = unclosed(buffer.document.text_before_cursor) in OPEN_LITERALS
        return buffer.name == DEFAULT_BUFFER and inside and not is_whole(typed())

    @bindings.add("enter", filter=in_literal)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return bindings


def is_whole(text: str) -> bool:
    r"""Whether Enter runs `text`: blank, a command, or statements the last of which ends with `;` or `\g`."""
    stripped = text.strip()
    is_command = stripped.startswith(("\\", ".")) or stripped.lower() in {"exit", "quit", "help"}
    return not stripped or is_command or is_complete(text) or sent(text) is not None


def user_history() -> History:
    """The input history, in a file over sessions; in memory only if no file can be written."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "deltasql" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return SecretlessHistory(str(path))


class SecretlessHistory(FileHistory):
    """A history file. An input with a secret stays in memory for this session, and is never written."""

    def store_string(self, string: str) -> None:
        if not has_secret(string):
            super().store_string(string)


def continuation(above: str, width: int) -> str:
    """The prompt, of this width, of a line that continues the lines `above`."""
    return f"{unclosed(above)}> ".rjust(width)


@cache
def sql_lexer() -> type[RegexLexer]:
    """A pygments lexer class of our dialect."""
    keyword_names = tuple(sorted(keywords()))
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (LINE_COMMENT, Comment.Single),
            (COMMENT_OPENING, Comment.Multiline, "comment"),
            (STRING, String),
            (QUOTED_NAME, Name.Quoted),
            # What is being typed: a quote that does not end yet.
            (r"r?['\"].*", String),
            (r"`.*", Name.Quoted),
            (r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\w*|\.\d+", Number),
            (words(keyword_names, prefix=r"\b", suffix=r"\b"), Keyword),
            (WORD, Name),
            (r"[-+*/%<>=!|&^~@:?$\\]+", Operator),
            (r".", Punctuation),
        ],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (COMMENT_OPENING, Comment.Multiline, "#push"),
            (COMMENT_CLOSING, Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
    }
    return type(
        "DeltaSqlLexer", (RegexLexer,), {"name": "deltasql", "flags": re.IGNORECASE | re.DOTALL, "tokens": tokens}
    )


def question(node: LogicalPlan, session: Session) -> str | None:
    """The question to confirm before a statement is run; None for one that needs no confirmation."""
    match node:
        case Delete(table=table, condition=None) | TruncateTable(table=table):
            verb = "DELETE without WHERE" if isinstance(node, Delete) else "TRUNCATE TABLE"
            return _with_row_count(f"{verb} takes {{rows}} of {table}.", table, session)
        case Update(table=table, condition=None):
            return _with_row_count(f"UPDATE without WHERE changes {{rows}} of {table}.", table, session)
        case DropTable(table=table):
            return _with_row_count(f"DROP TABLE takes {table} with {{rows}}.", table, session)
        case DropSchema(cascade=True):
            return "DROP SCHEMA … CASCADE takes all tables of the schema."
        case DropCatalog(cascade=True):
            return "DROP CATALOG … CASCADE takes all schemas of the catalog, and their tables."
        case _:
            return None


def _with_row_count(text: str, table: TableName, session: Session) -> str | None:
    """The question with the number of rows; None for an empty or missing table."""
    with suppress(DeltaSqlError):
        rows = row_count(session.log(table).snapshot())
        if rows == 0:
            return None
        counted = "rows" if rows is None else rows_text(rows)
        return text.format(rows=counted if rows == 1 else f"all {counted}")
    return None
