"""The shell: typed keys in, text out, over a session of canned answers and a real catalog."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from pygments.token import Comment, Keyword, Name, String

from deltasql.base.errors import TableNotFoundError, UnknownCommandError, UnknownFormatError
from deltasql.catalog import Catalog
from deltasql.clients.repl.commands import _ON_INPUT, COMMANDS, Preferences, command_of
from deltasql.clients.repl.completion import SqlCompleter
from deltasql.clients.repl.prompt import continuation, is_whole, prompt_session, sql_lexer, user_history
from deltasql.clients.repl.shell import Shell, Terminal
from deltasql.files.result import CommandRows, Result
from deltasql.schema import types as t
from tests.unit.canned import NUMBERS, answer

UNTIMED = Preferences(timing=False)


class Many(CommandRows):
    """Rows that count as a query's."""


class Canned:
    """A session that answers by the first word of a statement."""

    def __init__(self, warehouse: Path) -> None:
        self.catalog = Catalog(str(warehouse))
        self.seen: list[str] = []
        self.reads = 0
        self.views: dict[str, Any] = {}
        self.functions = {"my_own": None}
        self.on_progress: Any = None

    def sql(self, text: str, args: Any = None) -> Result:
        self.seen.append(text if args is None else f"{text} with {args}")
        if text.split(maxsplit=1)[0].upper() in {"SHOW", "DESCRIBE"}:
            return Result.of(t.StructType((t.StructField("name", t.STRING),)), [(text,)])
        return answer(text, version=7)

    def log(self, table: Any) -> Any:
        self.reads += 1
        if str(table) == "broken":
            raise TableNotFoundError(table=str(table), advice="")
        place = t.StructType((t.StructField("hall", t.INTEGER), t.StructField("shelf", t.STRING)))
        columns = (("id", t.LONG), ("amount due", t.DOUBLE), ("place", place), ("tags", t.ArrayType(place)))
        schema = t.StructType(tuple(t.StructField(name, kind) for name, kind in columns))
        commits = [SimpleNamespace(version=7, timestamp_ms=0, info={"operation": "MERGE"})]
        return SimpleNamespace(snapshot=lambda: SimpleNamespace(schema=schema), history=lambda limit: commits)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Canned]:
    made = Canned(tmp_path)
    made.catalog.register("orders", "/o", managed=False)
    made.catalog.register("broken", "/b", managed=False)
    made.catalog.create_schema("sales")
    made.catalog.register(("sales", "people"), "/p", managed=False)
    yield made
    made.catalog.close()


def run(session: Canned, *inputs: str, **options: Any) -> str:
    out = io.StringIO()
    preferences = Preferences(timing=options.pop("timing", False))
    shell = Shell(session, preferences=preferences, terminal=Terminal(out=out), **options)  # type: ignore[arg-type]
    for text in inputs:
        assert shell.run(text)
    return out.getvalue()


def typed(session: Canned, keys: str) -> tuple[list[str], str]:
    """What ran, and what was printed, when `keys` are typed at the prompt."""
    out = io.StringIO()
    with create_pipe_input() as terminal:
        terminal.send_text(keys)
        reader = prompt_session(session, terminal, DummyOutput(), InMemoryHistory())  # type: ignore[arg-type]
        shell = Shell(session, preferences=UNTIMED, terminal=Terminal(out=out))  # type: ignore[arg-type]
        assert shell.loop(reader) == 0
    return session.seen, out.getvalue()


def test_a_statement_may_take_many_lines(session: Canned) -> None:
    seen, _ = typed(session, "SELECT\r1\r;\rALTER t; SELECT 2;\r\\q\r")
    assert seen == ["SELECT\n1", "ALTER t", "SELECT 2"]


def test_a_terminal_that_tells_no_position_is_not_asked(session: Canned) -> None:
    """For an answer that does not come each Enter would wait a second, and lose a Ctrl-C meanwhile."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with create_pipe_input() as terminal, os.fdopen(inner, "w") as stdout:
        terminal.send_text("SELECT 1;\r\\q\r")
        screen = Vt100_Output.from_pty(stdout, term="xterm")
        reader = prompt_session(session, terminal, screen, InMemoryHistory())  # type: ignore[arg-type]
        shell = Shell(session, preferences=UNTIMED, terminal=Terminal(out=io.StringIO()))  # type: ignore[arg-type]
        assert shell.loop(reader) == 0
    shown = _all_of(outer)
    assert session.seen == ["SELECT 1"]
    assert b"SELECT" in shown
    assert b"\x1b[6n" not in shown


def _all_of(terminal: int) -> bytes:
    """All bytes that were written to a pseudo-terminal whose other end is closed; one read may give a part of them."""
    parts = []
    # Linux ends with an error in place of nothing.
    with suppress(OSError):
        while part := os.read(terminal, 65_536):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts)


def test_ctrl_c_gives_up_the_input_and_ctrl_d_leaves(session: Canned) -> None:
    seen, _ = typed(session, "SELECT half\x03SELECT 1;\r\x04")
    assert seen == ["SELECT 1"]


def test_errors_and_a_cancelled_statement_keep_the_session(session: Canned) -> None:
    seen, out = typed(session, "MISS t;\rWAIT;\rLATE;\rBUG;\rSELECT 1;\rexit\r")
    assert seen == ["MISS t", "WAIT", "LATE", "BUG", "SELECT 1"]
    assert "[TABLE_OR_VIEW_NOT_FOUND]" in out
    assert "MISS t\n     ^" in out
    assert "Cancelled." in out
    assert "Version 7 of t was committed before" in out
    assert "ValueError: unexpected" in out
    assert out.endswith("2 rows\n")


def test_the_rest_of_an_input_does_not_run_after_an_error(session: Canned) -> None:
    out = run(session, "MISS t; SELECT 1;")
    assert session.seen == ["MISS t"]
    assert out.endswith("\nNot run: the statement after it.\n")


@pytest.mark.parametrize(("word", "said"), [("MISS t", "SQLSTATE"), ("WAIT", "Cancelled."), ("BUG", "unexpected")])
def test_what_did_not_run_is_said(session: Canned, word: str, said: str) -> None:
    out = run(session, f"SELECT 1; {word}; SELECT 2; SELECT ';'; -- end", f"SELECT 3; {word};", "SELECT 4;")
    assert session.seen == ["SELECT 1", word, "SELECT 3", word, "SELECT 4"]
    assert out.count(said) == 2
    assert out.count("Not run") == out.count("Not run: the 2 statements after it.") == 1


@pytest.mark.parametrize("begun", ["", "SELECT\r"])
def test_a_search_in_the_history_finds_and_runs(session: Canned, begun: str) -> None:
    begun_text = begun.replace("\r", "\n")
    # Ctrl-R, a word that alone would not be whole, Enter takes the match, Enter runs it. Each step: keys, texts after.
    steps = [
        (begun, begun_text, begun_text),
        ("\x12", begun_text, ""),
        ("ALTER", begun_text, "ALTER"),
        ("\r", "ALTER t;", "ALTER t;"),
        ("\r", "", ""),
        ("\x12", "", ""),
        ("MISS", "", "MISS"),
        ("\x03", "", ""),
    ]
    missed: list[str] = []
    with create_pipe_input() as terminal:
        old = InMemoryHistory(["ALTER t;", "SELECT 1;"])
        reader = prompt_session(session, terminal, DummyOutput(), old)  # type: ignore[arg-type]

        def press() -> None:
            # The history is loaded, and keys are read, while this waits.
            for keys, typed_text, current in steps:
                terminal.send_text(keys)
                until = time.monotonic() + 60
                while (reader.default_buffer.text, reader.app.current_buffer.text) != (typed_text, current):
                    if time.monotonic() > until:
                        missed.append(keys)
                        break
                    time.sleep(0.01)
                time.sleep(0.1)
            # Nothing is waited for: the texts after the last line are those of a reader that has ended.
            terminal.send_text("\\q\r")

        hands = threading.Thread(target=press)
        hands.start()
        shell = Shell(session, terminal=Terminal(out=io.StringIO()))  # type: ignore[arg-type]
        assert shell.loop(reader) == 0
        hands.join()
    assert (session.seen, missed) == (["ALTER t"], [])


def test_a_line_break_in_a_text_takes_no_indentation_along(session: Canned) -> None:
    seen, _ = typed(session, "SELECT\r    1,\r'a\rb',\r/* c\rd */ 'e';\r\\q\r")
    assert seen == ["SELECT\n    1,\n    'a\nb',\n/* c\nd */ 'e'"]


def test_outcomes(session: Canned) -> None:
    assert run(session, "ALTER t;") == "version 7\n"
    assert run(session, "SELECT 1;", style="csv") == "n\n1\n2\n2 rows\n"
    assert run(session, "ALTER t;", timing=True).startswith("version 7, 0.0")


def test_a_query_is_cut_at_a_thousand_rows(session: Canned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "sql", lambda _: Result(Many(NUMBERS, [(n,) for n in range(2000)])))
    monkeypatch.setattr(Result, "is_query", True)
    out = run(session, "SELECT 1;", style="csv")
    assert out.count("\n") == 1002
    assert out.endswith("the first 1000 rows, there are more (all of them: \\pset rows all)\n")
    monkeypatch.setattr(session, "sql", lambda _: Result(Many(NUMBERS, [(n,) for n in range(1000)])))
    assert run(session, "SELECT 1;", style="csv").endswith("\n1000 rows\n")


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("\\l", "SHOW SCHEMAS"),
        ("\\l main", "SHOW SCHEMAS IN main"),
        ("\\lc", "SHOW CATALOGS"),
        ("\\d", "SHOW TABLES"),
        ("\\dv", "SHOW VIEWS"),
        ("\\df", "SHOW USER FUNCTIONS"),
        ("\\df co*", "SHOW FUNCTIONS LIKE 'co*'"),
        ("\\dt o*|p*", "SHOW TABLES LIKE 'o*|p*'"),
        ("\\dt s.o*", "SHOW TABLES IN s LIKE 'o*'"),
        ("\\dt s.", "SHOW TABLES IN s LIKE '*'"),
        ("\\dt main.s.o*", "SHOW TABLES IN main.s LIKE 'o*'"),
    ],
)
def test_commands_that_are_sql(session: Canned, text: str, sql: str) -> None:
    assert sql in run(session, text)


def test_commands_of_the_shell(session: Canned) -> None:
    assert run(session, "\\format csv", "SELECT 1;").startswith("Format is csv.\nn\n")
    assert run(session, "\\format") == "Format is auto.\n"
    assert run(session, "\\timing") == "Timing is on.\n"
    assert run(session, "\\timing off") == "Timing is off.\n"
    for asked in ("\\?", "\\help", "help", "HELP;"):
        assert "\\dt" in run(session, asked)
    for asked in ("\\help DELTA_METADATA_CHANGED", "\\h delta_metadata_changed;"):
        assert "Cause: Another writer changed the schema" in run(session, asked)
    assert "UNKNOWN_CONDITION" in run(session, "\\help DELTA_METADATA")
    assert "UNKNOWN_SHELL_COMMAND" in run(session, "\\zap")
    assert "UNKNOWN_OUTPUT_FORMAT" in run(session, "\\format xml")
    with pytest.raises(UnknownCommandError):
        command_of("\\zap")
    with pytest.raises(UnknownFormatError):
        command_of("\\format xml")


@pytest.mark.parametrize("text", ["\\q", "exit", "QUIT;"])
def test_leaving(session: Canned, text: str) -> None:
    assert not Shell(session, terminal=Terminal(out=io.StringIO())).run(text)  # type: ignore[arg-type]


def test_the_stack_on_demand(session: Canned) -> None:
    assert "Some.java" not in run(session, "BREAK;")
    assert "Some.java" in run(session, "BREAK;", stack=True)
    assert "Traceback" in run(session, "BUG;", stack=True)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", True),
        (" \n", True),
        ("SELECT 1", False),
        ("SELECT ';", False),
        ("SELECT 1;", True),
        ("\\d", True),
        ("exit", True),
        ("help", True),
    ],
)
def test_when_enter_runs(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


def completions(session: Canned, text: str, after: str = "") -> list[str]:
    completer = SqlCompleter(session)  # type: ignore[arg-type]
    document = Document(text + after, len(text))
    return [item.text for item in completer.get_completions(document, CompleteEvent())]


def test_continuation_tells_what_is_open() -> None:
    assert continuation("SELECT 1", 9) == "       > "
    assert continuation("SELECT 'abc;", 9) == "      '> "
    assert continuation("SELECT 1 /* abc", 9) == "     /*> "


def test_completion_of_keywords(session: Canned) -> None:
    assert "ALTER" in completions(session, "AL")
    assert "alter" in completions(session, "SELECT 1; al")
    assert "TABLE" in completions(session, "ALTER TA")
    assert "orders" not in completions(session, "o")


def test_completion_of_tables(session: Canned) -> None:
    assert completions(session, "SELECT * FROM o")[0] == "orders"
    assert "sales" in completions(session, "SELECT * FROM sa")
    assert completions(session, "SELECT * FROM sales.p") == ["people"]
    assert completions(session, "SELECT * FROM nowhere.p") == []


def test_completion_of_columns(session: Canned) -> None:
    assert "id" in completions(session, "SELECT i", " FROM orders")
    assert completions(session, "SELECT o.a", " FROM orders AS o") == ["`amount due`"]
    assert completions(session, "UPDATE orders SET orders.i") == ["id"]
    assert "id" not in completions(session, "SELECT i", " FROM broken")


def test_columns_are_remembered_for_a_moment(session: Canned) -> None:
    completer = SqlCompleter(session)  # type: ignore[arg-type]
    for _ in range(3):
        list(completer.get_completions(Document("SELECT i FROM orders", 8), CompleteEvent()))
    assert session.reads == 1


def test_completion_of_commands(session: Canned) -> None:
    assert completions(session, "\\t") == ["\\timing"]
    assert completions(session, "\\format v") == ["vertical"]
    assert completions(session, "\\help delta_metadata_c") == ["DELTA_METADATA_CHANGED"]
    assert completions(session, "\\d") == ["\\d", "\\dt", "\\dv", "\\df"]


def test_help_is_one_line_a_command(session: Canned) -> None:
    lines = run(session, "\\?").splitlines()
    assert lines[:3] == [
        "\\d                   tables of the current schema",
        "\\d TABLE             a table: size, columns with their fields, constraints, properties",
        "\\dt [LIKE]           tables; LIKE is a pattern of * and |, or a schema and a pattern: s.*",
    ]
    assert lines[len(COMMANDS) :] == ["", *_ON_INPUT]


def test_colours() -> None:
    text = "ALTER /* a /* b */ c */ TABLE `t` -- x\n'it''s'"
    tokens = [(kind, value) for kind, value in sql_lexer()().get_tokens(text) if value.strip()]
    assert (Keyword, "ALTER") in tokens
    assert (Keyword, "TABLE") in tokens
    assert (Name.Quoted, "`t`") in tokens
    assert (Comment.Single, "-- x") in tokens
    assert all(kind is Comment.Multiline for kind, value in tokens if value.strip() in {"a", "b", "c"})
    assert any(kind is String for kind, _ in tokens)


def test_history_is_kept_in_the_state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    user_history().store_string("SELECT 1;")
    assert "SELECT 1;" in (tmp_path / "deltasql" / "history").read_text()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert isinstance(user_history(), InMemoryHistory)
