"""The grammar itself, its tables and their cache."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deltasql.sql.parser import automaton, parse
from deltasql.sql.parser.automaton import compile_grammar, grammar_files


def test_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    import lark

    class NoLexer(lark.lexer.Lexer):  # type: ignore[misc]
        def __init__(self, conf: object) -> None:
            pass

        def lex(self, *_: object) -> None:
            pass

    lark.logger.setLevel(logging.DEBUG)
    lark.logger.propagate = True
    try:
        with caplog.at_level(logging.DEBUG):
            text = "\n".join(grammar_files().values())
            lark.Lark(text, parser="lalr", lexer=NoLexer, start=["start", "type"], debug=True)
    finally:
        lark.logger.setLevel(logging.CRITICAL)
    assert not [record.getMessage() for record in caplog.records if "conflict" in record.getMessage().lower()]


def test_no_keyword_is_taken_for_another_terminal() -> None:
    compiled = compile_grammar(grammar_files())
    others = {*compiled.patterns, *re.findall(r"\w+_RUN", grammar_files()["20_expressions"])}
    assert not others & set(compiled.keywords.values())


def test_files_stand_in_order_with_the_start_first() -> None:
    stems = list(grammar_files())
    assert stems[:4] == ["00_start", "10_names", "11_types", "20_expressions"]
    assert stems[4:] == sorted(stems[4:])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    automaton.grammar_tables.cache_clear()
    return tmp_path


def test_tables_are_stored_and_read_back(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = automaton.grammar_tables()
    assert len(list((cache / "deltasql").iterdir())) == 1
    automaton.grammar_tables.cache_clear()
    monkeypatch.setattr(automaton, "compile_grammar", lambda files: pytest.fail("compiled again"))
    assert automaton.grammar_tables() == compiled


def test_tables_of_another_grammar_are_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    automaton.grammar_tables()
    automaton.grammar_tables.cache_clear()
    files = grammar_files()
    monkeypatch.setattr(automaton, "grammar_files", lambda: {**files, "zz": "// more"})
    calls: list[int] = []

    def compile_and_count(given: dict[str, str]) -> automaton.Tables:
        calls.append(1)
        return compile_grammar(given)

    monkeypatch.setattr(automaton, "compile_grammar", compile_and_count)
    automaton.grammar_tables()
    assert calls == [1]
    automaton.grammar_tables.cache_clear()


@pytest.mark.parametrize("content", [b"", b"rubbish", b"\xe9\xff\xff\xff\xff"])
def test_broken_cache_is_replaced(cache: Path, content: bytes) -> None:
    automaton.grammar_tables()
    (stored,) = (cache / "deltasql").iterdir()
    whole = stored.read_bytes()
    stored.write_bytes(content)
    automaton.grammar_tables.cache_clear()
    parse("SELECT 1")
    assert len(stored.read_bytes()) == len(whole)


def test_without_a_place_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    automaton.grammar_tables.cache_clear()
    parse("DROP TABLE t")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    automaton.grammar_tables.cache_clear()
    parse("DROP TABLE t")
    automaton.grammar_tables.cache_clear()


def test_warm_start_needs_no_lark() -> None:
    parse("SELECT 1")
    code = (
        "import sys, deltasql.sql.parser as p; p.parse('ALTER TABLE t ADD COLUMN a INT'); print('lark' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
