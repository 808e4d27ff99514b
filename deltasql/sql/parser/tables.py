"""The LALR tables of the grammar: compiled by lark once, kept in the user's cache, read back without importing lark.

Importing lark takes 40 ms and compiling the grammar 150 ms more; a command line that runs one ALTER TABLE has 50 ms for
all of parsing. So lark is imported only when the cache holds no tables for this very grammar text.
"""

from __future__ import annotations

import functools
import marshal
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule

END = "$END"
STARTS = ("start", "type")


class Production(NamedTuple):
    """One alternative of a rule.

    `name` is the alias or the rule's own name, `origin` always the latter. `children` says which symbols become
    children: (index, whether its children are spliced in, how many None come before); `nones` how many None come last.
    """

    name: str
    origin: str
    length: int
    children: tuple[tuple[int, bool, int], ...]
    nones: int


class Tables(NamedTuple):
    """The tables of the automaton.

    `states[state][symbol]` is the next state, or -1 - n for a reduction by `productions[n]`. `keywords` maps words in
    capitals, and `symbols` characters, to terminals; `patterns` maps the other terminals to regular expressions.
    `families` maps rules to the stem of the grammar file that defines them.
    """

    states: list[dict[str, int]]
    productions: list[Production]
    start_states: dict[str, int]
    end_states: dict[str, int]
    keywords: dict[str, str]
    symbols: dict[str, str]
    patterns: dict[str, str]
    families: dict[str, str]


@functools.cache
def grammar_tables() -> Tables:
    """The tables of the grammar, from the cache or compiled now."""
    files = grammar_files()
    text = "\n".join(files.values())
    cache = _cache_file()
    stored = _load(cache, text)
    if stored is None:
        stored = compile_grammar(files)
        _save(cache, text, stored)
    return stored


def grammar_files() -> dict[str, str]:
    """The grammar's files by stem, in order of their names: those inside the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "grammar"
    folder = inside if inside.is_dir() else package.parent / "grammar"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.lark"))}


def _cache_file() -> Path | None:
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:
        # There is no home directory.
        return None
    return root / "deltasql" / f"grammar-{sys.implementation.cache_tag}.bin" if root.is_absolute() else None


def _load(path: Path | None, text: str) -> Tables | None:
    """The stored tables, or None when there are none for this grammar text."""
    if path is None:
        return None
    try:
        stored_text, *parts = marshal.loads(path.read_bytes())
        if stored_text != text:
            return None
        fields = Tables(*parts)
        return fields._replace(productions=[Production(*item) for item in fields.productions])
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _save(path: Path | None, text: str, compiled: Tables) -> None:
    """Stores tables for the next process; where that cannot be done, each process compiles its own."""
    if path is None:
        return
    productions = [tuple(production) for production in compiled.productions]
    content = marshal.dumps((text, *compiled._replace(productions=productions)))  # type: ignore[arg-type]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        return


def compile_grammar(files: dict[str, str]) -> Tables:
    """Tables of the joined grammar files. Raises lark's GrammarError for a grammar that is not LALR(1)."""
    from lark import Lark

    text = "\n".join(files.values())
    lark = Lark(text, parser="lalr", lexer=_no_lexer(), start=list(STARTS), maybe_placeholders=True)
    table = lark.parser.parser._parse_table
    numbers = {rule: -1 - index for index, rule in enumerate(lark.rules)}
    states = [table.states[state] for state in range(len(table.states))]
    return Tables(
        [{symbol: numbers.get(target, target) for symbol, (_, target) in state.items()} for state in states],
        [_production(rule) for rule in lark.rules],
        dict(table.start_states),
        dict(table.end_states),
        *_terminals(lark),
        _families(files),
    )


def _no_lexer() -> type[Any]:
    """A lexer class for lark that reads nothing: the automaton finds the tokens itself, as it also knows runs."""
    from lark.lexer import Lexer

    return type("NoLexer", (Lexer,), {"__init__": lambda self, conf: None, "lex": lambda self, *_: iter(())})


def _production(rule: Rule) -> Production:
    empty = rule.options.empty_indices or (False,) * len(rule.expansion)
    gaps = [len(run) for run in "".join("1" if item else "0" for item in empty).split("0")]
    symbols, nones = [], 0
    for index, symbol in enumerate(rule.expansion):
        nones += gaps[index]
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            symbols.append((index, not symbol.is_term and symbol.name.startswith("_"), nones))
            nones = 0
    origin = str(rule.origin.name)
    return Production(rule.alias or origin, origin, len(rule.expansion), tuple(symbols), nones + gaps[-1])


def _terminals(lark: Lark) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Keywords, symbols and patterns (see Tables) of a compiled grammar."""
    from lark.lexer import PatternStr

    keywords, symbols, patterns = {}, {}, {}
    for terminal in lark.terminals:
        value = terminal.pattern.value
        if not isinstance(terminal.pattern, PatternStr):
            patterns[terminal.name] = terminal.pattern.to_regexp()
        elif value[0].isalpha():
            keywords[value] = terminal.name
        else:
            symbols[value] = terminal.name
    return keywords, symbols, patterns


def _families(files: dict[str, str]) -> dict[str, str]:
    families = {}
    for stem, text in files.items():
        for line in text.splitlines():
            rule = line.split(":")[0].lstrip("!?")
            if rule.isidentifier() and rule.islower():
                families[rule] = stem
    return families
