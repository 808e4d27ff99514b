"""Texts made to be read slowly: each reader of SQL ends soon, with an answer or a typed error."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from deltasql.base import tokenize
from deltasql.base.errors import ParseSyntaxError
from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.secrets import has_secret, without_secrets_of
from deltasql.clients.repl.completion import SqlCompleter
from deltasql.clients.repl.prompt import sql_lexer
from deltasql.engines.sail import checks as own_checks
from deltasql.sql.parser import parse
from deltasql.sql.parser.diagnosis import expected_keywords
from deltasql.sql.parser.parameters import bind_parameters, parameter_names
from deltasql.sql.statement_texts import is_complete, is_script, split, unclosed

SIZE = 30_000
LIMIT = 5.0
"""Seconds of the processor for 30 KB, which take a third of one, or ten and more by the square of the length."""

PIECES = {
    "dashes": "-",
    "dashes_and_lines": "--\\\n",
    "blanks": " ",
    "newlines": "\n",
    "quotes": "'",
    "double_quotes": '"',
    "escaped_quotes": "\\'",
    "escaped_double_quotes": '\\"',
    "back_ticks": "`",
    "brackets": "(",
    "pairs": "()",
    "square": "[",
    "angles": "<>",
    "openers": "/*",
    "comments": "/**/",
    "back_slashes": "\\",
    "semicolons_and_openers": ";/*",
    "semicolons_and_dashes": ";--",
    "digits": "1",
    "word": "a",
    "words": "a ",
    "commas": ",",
    "slashes": "/",
    "ends": "END/*",
    "options": "OPTIONS(",
    "creates": "CREATE TABLE ",
    "assigned": "a '\\'",
    "mixed": "-' `(/*\\\n\"[;",
}
BEFORE = (
    "",
    "UPDATE t SET\n",
    "BEGIN\n",
    "BEGIN ATOMIC END ",
    "EXPLAIN ",
    "SELECT '",
    "SELECT 1 ",
    "INSERT INTO t ",
    "CREATE TABLE t (a STRUCT",
    "SET a = ",
    "OPTIONS (",
    "SELECT * FROM delta.`/",
    "DELETE FROM t WHERE a = ",
)
TEXTS = {
    f"{before.strip() or 'alone'}-{name}": f"{before}{piece * (SIZE // len(piece))}"
    for before in BEFORE
    for name, piece in PIECES.items()
}


class _NoNames:
    """A session without tables."""


def completed(text: str) -> None:
    completer = SqlCompleter(_NoNames())  # type: ignore[arg-type]
    completer._names.is_relation = lambda parts: False  # type: ignore[method-assign]
    completer._names.relations = lambda *schema: []  # type: ignore[method-assign]
    completer._names.functions = list  # type: ignore[method-assign]
    list(completer.get_completions(Document(text), CompleteEvent()))


def explained(text: str) -> None:
    parse(f"EXPLAIN {text}")


def secrets(text: str) -> None:
    has_secret(text)
    without_secrets_of(text, text[:1000])
    ParseSyntaxError("x", "x").at(Caret(text, len(text) // 2, len(text) // 2)).__str__()


READERS: dict[str, Callable[[str], object]] = {
    "parse": parse,
    "explain": explained,
    "split": lambda text: list(split(text)),
    "complete": is_complete,
    "unclosed": unclosed,
    "is_script": is_script,
    "tokenize": tokenize,
    "parameters": lambda text: bind_parameters(text, {"x": 1}),
    "parameter_names": parameter_names,
    "keywords": expected_keywords,
    "completion": completed,
    "highlight": lambda text: list(sql_lexer()().get_tokens(text)),
    "secrets": secrets,
    "is_query": own_checks._QUERY.match,
}
BEHIND = frozenset({"parse", "is_script", "is_query"})
"""Readers that see each text behind the beginnings of statements, too: the others read a piece like any other."""


@pytest.mark.parametrize("reader", READERS)
def test_time_is_bounded(reader: str) -> None:
    for name, text in TEXTS.items():
        if name.startswith(("alone-", "OPTIONS")) or reader in BEHIND:
            started = time.process_time()
            with suppress(DeltaSqlError):
                READERS[reader](text)
            assert time.process_time() - started < LIMIT, name


@pytest.mark.parametrize("opening", ["(", "[", "ARRAY(", "CASE WHEN ", "NOT ", "- ", "/*", "BEGIN ", "STRUCT<a:"])
@pytest.mark.parametrize("before", ["", "DELETE FROM t WHERE ", "INSERT INTO t VALUES ", "CREATE TABLE t (a "])
def test_depth_is_read_or_refused(before: str, opening: str) -> None:
    for reader in ("parse", "split", "is_script", "keywords", "secrets"):
        with suppress(DeltaSqlError):
            READERS[reader](before + opening * 3_000)
