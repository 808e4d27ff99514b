"""The LALR automaton that parses statements: its tables, its lexer, and the opaque pieces of SQL that it skips.

The lexer looks only for the terminals that the grammar accepts next. A word may be a keyword or a name. Where both fit,
the keyword is tried first, and the name when that leads nowhere; so every keyword that is not reserved can name a table
or column. The error that is reported is the one furthest to the right. A query or an expression of the user is one
token for the grammar; separate functions find its end.

lark compiles the tables once, and they are kept in the user's cache. Importing lark takes 40 ms and compiling the
grammar 150 ms more; a command line that runs one ALTER TABLE has 50 ms for all of parsing. So lark is imported only
when the cache has no tables for this very grammar text.
"""

from __future__ import annotations

import functools
import marshal
import os
import re
import sys
import tempfile
from collections.abc import Callable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deltasql.base import (
    GAP,
    QUOTED_NAME,
    STRING,
    TOKEN,
    Caret,
    balanced_end,
    errors,
    not_closed,
    patterns,
    skip_blanks,
    tokens_from,
)
from deltasql.sql.statement_texts import block_end

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


RUNS = frozenset(
    {"EXPRESSION_RUN", "QUERY_RUN", "CTES_RUN", "FROM_RUN", "SUBQUERY_RUN", "REST_RUN", "PROCEDURE_RUN", "DOLLAR_RUN"}
)
WORD = re.compile(patterns.WORD)
QUERY_WORDS = frozenset({"SELECT", "VALUES", "FROM", "TABLE", "WITH"})
# WITH (key = value) and WITH ROW FILTER f ON (…) are clauses of tables.
_NO_CTE = re.compile(r"\(|ROW\s+FILTER\b", re.IGNORECASE)
_INTO = re.compile(r"(?:INTO|OVERWRITE|WITH)\b", re.IGNORECASE)
_DML_WORDS = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
# Operators that are words: what follows one is an operand, and what follows an operand is one of them or the end.
_OPERATORS = frozenset(
    {"AND", "OR", "IN", "IS", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN", "DIV", "ESCAPE", "DISTINCT", "COLLATE"}
)
# After these an operator word is one even where an operand should stand: x IS NOT DISTINCT FROM y, x NOT IN (…).
_OPERATOR_OPENERS = frozenset({"NOT", "IS", "DISTINCT"})
# They never continue an expression, so a clause that lacks its keyword is found where the next one begins.
_RESERVED_CLAUSE_WORDS = frozenset({"WHEN", "THEN", "WHERE", "SET", "USING", "SELECT"})
_CLAUSE_WORDS = _RESERVED_CLAUSE_WORDS | {
    *("UPDATE", "DELETE", "INSERT"),
    # Clauses that statements with expressions do not have: what stands there is no part of the expression before it.
    *("FROM", "JOIN", "ORDER", "LIMIT", "RETURNING"),
}
# Characters from INTERVAL to its unit: only so many are looked at again, word after word.
_LONGEST_INTERVAL = 1000
# No expression begins with one of these.
_BINARY = frozenset("=<>/%|&^")
_TAKE_QUERY = frozenset({"IN", "EXISTS", "ANY", "ALL", "SOME"})


def is_query(text: str, start: int) -> bool:
    """True when a query begins at `start`: with one of its words, or with parentheses around one."""
    while text.startswith("(", start):
        start = skip_blanks(text, start + 1)
    word = WORD.match(text, start)
    if word is None or word[0].upper() not in QUERY_WORDS:
        return False
    after = skip_blanks(text, word.end())
    if word[0].upper() == "WITH" and _NO_CTE.match(text, after):
        return False
    return not text.startswith((",", ")", "=", "."), after)


def may_be_columns(text: str, start: int) -> bool:
    """True when the parenthesis at `start` may open a list of columns, the first called table or values."""
    word = WORD.match(text, skip_blanks(text, start + 1))
    return word is not None and word[0].upper() in {"TABLE", "VALUES"}


def atomic_end(text: str, start: int) -> int | None:
    """The end of the last END behind `start`, if only semicolons and comments stand behind it."""
    end = None
    for token in tokens_from(text, start):
        if token.key == "END":
            end = token.end
        elif token.key != ";":
            end = None
    return end


def ctes_end(text: str, start: int) -> int | None:
    """The end of WITH name AS (…), … when INSERT, UPDATE, DELETE or MERGE follows; None when a query does."""
    position, end, closed = skip_blanks(text, start), start, False
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        if token[0] in "([":
            end = balanced_end(text, position, one_group=True)
        elif closed and token[0].upper() in _DML_WORDS:
            return end
        elif token[0] == ";" or (closed and token[0].upper() in QUERY_WORDS):
            return None
        else:
            end = token.end()
        closed = token[0] == "("
        position = skip_blanks(text, end)
    return None


def from_end(text: str, start: int) -> int | None:
    """The end of FROM s, or WITH name AS (…), … FROM s, when INSERT INTO or OVERWRITE follows; None for a query."""
    position, end, after_from, previous = skip_blanks(text, start), start, False, ""
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        word = token[0].upper()
        if word == "INSERT" and after_from and _INTO.match(text, skip_blanks(text, token.end())):
            return end
        if word in {";", "SELECT", "MAP", "REDUCE"} and previous != ".":
            return None
        after_from = after_from or word == "FROM"
        end = balanced_end(text, position, one_group=True) if word in {"(", "["} else token.end()
        position, previous = skip_blanks(text, end), word
    return None


def insert_starts(text: str, start: int) -> list[int]:
    """The offsets of the words INSERT outside of brackets from `start` on that begin an INSERT."""
    starts, position = [], start
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        if token[0].upper() == "INSERT" and _INTO.match(text, skip_blanks(text, token.end())):
            starts.append(position)
        end = balanced_end(text, position, one_group=True) if token[0] in "([" else token.end()
        position = skip_blanks(text, end)
    return starts


class ExpressionScan:
    """Reads one expression of `text` from `start` on. `may_follow` tells whether a terminal may come after it.

    The end is before a comma, a closing parenthesis, `;`, or a keyword that may follow, all outside of parentheses and
    CASE … END. Such a keyword must stand where an operator could: `a AND first` ends after the column called first.
    """

    def __init__(self, text: str, start: int, keywords: dict[str, str], may_follow: Callable[[str], bool]) -> None:
        self.text = text
        self.start = start
        self.end = start
        self.keywords = keywords
        self.may_follow = may_follow
        # Whether what was read so far could be an expression: it does not end with an operator.
        self.complete = False
        self._previous = ""
        self._dotted = False
        self._cases: list[int] = []

    def run(self) -> int:
        """The end of the expression; equals `start` when there is none."""
        text, position = self.text, self.start
        while position < len(text):
            token = TOKEN.match(text, position)
            assert token is not None
            if token.lastgroup in {"word", "number"} and token[0][0] != ".":
                if self._stops(token[0].upper(), token.end()):
                    break
                self._word(token[0].upper(), position)
                self.end = token.end()
            elif token.lastgroup == "symbol":
                if self._ends_before(token[0], position):
                    break
                self._symbol(token[0], position)
            else:
                self._operand(token[0])
                self.end = token.end()
            position = skip_blanks(text, self.end)
        if self._cases:
            case = self._cases[-1]
            reason = "The CASE that starts here is never closed by END."
            raise errors.ParseSyntaxError(reason, "CASE").at(Caret(text, case, case + 4))
        return self.end

    def _ends_before(self, symbol: str, position: int) -> bool:
        if symbol == "(":
            return self._query_follows(position)
        return symbol in ",);]" or (symbol[0] in _BINARY and self.end == self.start)

    def _operand(self, token: str) -> None:
        self.complete, self._previous, self._dotted = True, token, False

    def _word(self, word: str, start: int) -> None:
        if self._dotted:
            return self._operand(word)
        if word == "CASE" and not self.complete:
            self._cases.append(start)
        elif word == "END" and self._cases:
            self._cases.pop()
            return self._operand(word)
        operator = word in _OPERATORS and (self.complete or self._previous in _OPERATOR_OPENERS)
        from_after_distinct = word == "FROM" and self._previous == "DISTINCT"
        self._operand(word)
        self.complete = not (operator or from_after_distinct or word in {"NOT", "CASE"})
        return None

    def _symbol(self, symbol: str, start: int) -> None:
        if symbol in "'\"`":
            not_closed(self.text, start, symbol)
        if symbol in "([":
            self.end = balanced_end(self.text, start, one_group=True)
            return self._operand(symbol)
        self.end = start + len(symbol)
        self._dotted = symbol in {".", ":"} and self.complete
        self._previous = symbol
        # A question mark is a parameter.
        self.complete = symbol == "?"
        return None

    def _stops(self, word: str, end: int) -> bool:
        """Whether this word is no part of the expression."""
        if self._cases or self._dotted:
            return False
        if not self.complete:
            return word in _RESERVED_CLAUSE_WORDS
        if word == "NOT":
            following = WORD.match(self.text, skip_blanks(self.text, end))
            return following is not None and following[0].upper() == "NULL" and self.may_follow("NOT")
        if word in _CLAUSE_WORDS or self._begins_next(word):
            return True
        return word not in _OPERATORS and self._previous != "INTERVAL" and self._alias_follows()

    def _begins_next(self, word: str) -> bool:
        """Whether what may follow the expression begins with this word: a keyword, or a query."""
        terminal = self.keywords.get(word)
        is_keyword = terminal is not None and self.may_follow(terminal)
        return is_keyword or (word in QUERY_WORDS and self.may_follow("QUERY_RUN"))

    def _alias_follows(self) -> bool:
        """An alias without AS comes after a complete expression, but not after INTERVAL 1 (the unit does)."""
        written = self.text[max(self.start, self.end - _LONGEST_INTERVAL) : self.end].upper().split()
        return self.may_follow("IDENTIFIER") and (len(written) < 2 or written[-2] != "INTERVAL")

    def _query_follows(self, start: int) -> bool:
        if not self.complete or self._previous in _TAKE_QUERY or not self.may_follow("QUERY_RUN"):
            return False
        return is_query(self.text, start)


def procedure_end(text: str, start: int) -> int:
    """The end of the definition of a procedure whose parameters begin at `start`; semicolons end its body."""
    begin = skip_blanks(text, 0)
    end = block_end(text, begin)
    if end is None:
        end = len(text)
    tokens = [token for token in tokens_from(text[:end], start) if token.key != ";"]
    return tokens[-1].end


def _stored_text(expected: Set[str], text: str, position: int) -> GrammarToken | None:
    """The text at `position` that is stored and read later: YAML between `$$`, or the definition of a procedure."""
    if "DOLLAR_RUN" in expected and text.startswith("$$", position):
        return GrammarToken("DOLLAR_RUN", position, balanced_end(text, position))
    if "PROCEDURE_RUN" in expected and text[position] == "(":
        return GrammarToken("PROCEDURE_RUN", position, procedure_end(text, position))
    return None


# Far above what any statement needs; it bounds the time that a hopeless text can take.
_MAX_RETRIES = 500
# As many states as types nested a hundred deep take; code that walks them goes down as far.
_DEEPEST = 520

_RUNS = RUNS | {"ATOMIC_BLOCK"}
_CATALOG_KINDS = (
    "ANONYMOUS|ANY|CATALOG|CONNECTION|CREDENTIAL|DATABASE|EXTERNAL|FUNCTION|GROUP|MATERIALIZED|METASTORE|PROCEDURE|"
    "PROVIDER|RECIPIENT|SCHEMA|SERVICE|SHARE|STORAGE|STREAMING|TABLE|VIEW|VOLUME"
)
_AFTER_SECURABLE = r"(?:TO|FROM|OWNER|SET)(?!\w)"
_SECURABLE_PART = rf"{QUOTED_NAME}|\w+"
# Terminals that the grammar declares, and leaves to the patterns that all readers of SQL share; no name is empty.
_DECLARED = {
    "STRING": f"(?s:{STRING})",
    "QUOTED_IDENTIFIER": rf"(?!``(?!`)){QUOTED_NAME}",
    "INSERT_ALIAS": rf"(?i:(?!(?:BY|REPLACE|PARTITION)(?!\w))(?:AS{GAP}+)?(?:{QUOTED_NAME}|(?!AS(?!\w))\w+)"
    rf"(?={GAP}+(?:BY{GAP}+NAME|REPLACE{GAP}+(?:WHERE|USING|ON))(?!\w)))",
    # A name follows, and then what stands behind a securable, so that no other statement has such words.
    "OTHER_KIND": rf"(?i:(?!(?:{_CATALOG_KINDS})(?!\w))(?:(?!{_AFTER_SECURABLE})[A-Z]\w*{GAP}+){{1,2}}?"
    rf"(?=(?!{_AFTER_SECURABLE})(?:{_SECURABLE_PART})(?:\.(?:{_SECURABLE_PART}))*{GAP}*(?:{_AFTER_SECURABLE}|;|\Z)))",
}


class GrammarToken(NamedTuple):
    """A terminal with its span in the text."""

    name: str
    start: int
    end: int


class Tree(NamedTuple):
    """A reduced rule: its kept children are Token, Tree or None. An empty one stands before the next token.

    Of `children` the first `size` are its own: a list grows in place, so that a long one is not copied with each item.
    """

    name: str
    origin: str
    children: list[Any]
    start: int
    end: int
    size: int


class ParseStop(NamedTuple):
    """The point where parsing cannot go on: the offset, the terminals acceptable there, and the token before."""

    position: int
    expected: frozenset[str]
    previous: GrammarToken | None


class NoParseError(Exception):
    """The text is not in the grammar; `stuck` is the furthest point that was reached."""

    def __init__(self, stuck: ParseStop) -> None:
        super().__init__(stuck)
        self.stuck = stuck


class _Path(NamedTuple):
    """An alternative that has not been tried: the stacks before a token, and the tokens that are left to try."""

    states: list[int]
    values: list[Any]
    previous: GrammarToken | None
    tokens: list[GrammarToken]


class Automaton:
    """Parses one text."""

    def __init__(self, text: str, start: str = "start") -> None:
        self.text = text
        self.tables: Tables = grammar_tables()
        # The furthest place so far, the token before it, and the stacks that stood there.
        self._furthest: tuple[int, GrammarToken | None, list[list[int]]] = (-1, None, [])
        self._start_state = self.tables.start_states[start]
        self._end_state = self.tables.end_states[start]

    def parse(self) -> Tree:
        """The tree of the text. Raises NoParseError, and ParseSyntaxError for an unclosed piece."""
        states, values = [self._start_state], list[Any]()
        position, previous = skip_blanks(self.text, 0), None
        untried: list[_Path] = []
        retries = 0
        while True:
            tokens = self._tokens(states, position, previous)
            while True:
                if not tokens:
                    self._note(position, states, previous)
                    if not untried or retries > _MAX_RETRIES:
                        raise NoParseError(self.furthest)
                    retries += 1
                    states, values, previous, tokens = untried.pop()
                    position = tokens[0].start
                token = tokens.pop(0)
                if self._accepts(states, token.name):
                    break
            if tokens:
                untried.append(_Path(states.copy(), values.copy(), previous, tokens))
            if token.name == END:
                self._note(position, states, previous)
            if self._feed(states, values, token, previous):
                tree: Tree = _whole(values[-1])
                return tree
            if len(states) > _DEEPEST:
                raise errors.TooComplexError().at(Caret(self.text, token.start, token.end))
            previous, position = token, skip_blanks(self.text, token.end)

    @property
    def furthest(self) -> ParseStop:
        """The furthest point that was reached, or the end of a text that was parsed."""
        position, previous, stacks = self._furthest
        return ParseStop(position, frozenset().union(*map(self._expected, stacks)), previous)

    def _expected(self, states: list[int]) -> frozenset[str]:
        """The terminals that the grammar accepts next."""
        symbols = self.tables.states[states[-1]]
        return frozenset(symbol for symbol in symbols if _is_terminal(symbol) and self._accepts(states, symbol))

    def _note(self, position: int, states: list[int], previous: GrammarToken | None) -> None:
        if position > self._furthest[0]:
            self._furthest = (position, previous, [])
        if position == self._furthest[0]:
            self._furthest[2].append(states.copy())

    def _accepts(self, states: list[int], terminal: str) -> bool:
        return self._after(states, terminal) is not None

    def _after(self, states: list[int], terminal: str) -> list[int] | None:
        """The states after `terminal`, or None where the grammar does not accept it."""
        table, productions = self.tables.states, self.tables.productions
        states = states.copy()
        while True:
            if terminal == END and states[-1] == self._end_state:
                return states
            action = table[states[-1]].get(terminal)
            if action is None:
                return None
            if action >= 0:
                states.append(action)
                return states
            production = productions[-1 - action]
            if production.length:
                del states[-production.length :]
            states.append(table[states[-1]][production.origin])

    def _feed(self, states: list[int], values: list[Any], token: GrammarToken, previous: GrammarToken | None) -> bool:
        """Shifts an acceptable token; True when the text is parsed."""
        table, productions = self.tables.states, self.tables.productions
        end = previous.end if previous else token.start
        while not (token.name == END and states[-1] == self._end_state):
            action = table[states[-1]][token.name]
            if action >= 0:
                states.append(action)
                values.append(token)
                return False
            production = productions[-1 - action]
            symbols = []
            if production.length:
                symbols = values[-production.length :]
                del states[-production.length :], values[-production.length :]
            children = _rule_children(symbols, production)
            start = symbols[0].start if symbols else token.start
            stop = end if symbols else start
            values.append(Tree(production.name, production.origin, children, start, stop, len(children)))
            states.append(table[states[-1]][production.origin])
        return True

    def _tokens(self, states: list[int], position: int, previous: GrammarToken | None) -> list[GrammarToken]:
        """The tokens at `position` that the grammar accepts in these states, the likeliest first."""
        text, expected = self.text, self.tables.states[states[-1]]
        if position >= len(text):
            return [GrammarToken(END, position, position)] if END in expected or states[-1] == self._end_state else []
        run = self._accepted_run(states, position)
        tokens = self._keywords_and_symbols(expected, position, run)
        if run:
            tokens.append(run)
        for name, match in _matchers():
            token = match(text, position) if name in expected else None
            if token:
                tokens.append(GrammarToken(name, position, token.end()))
        expression = self._expression(states, position, previous) if "EXPRESSION_RUN" in expected else None
        return [*tokens, expression] if expression else tokens

    def _accepted_run(self, states: list[int], position: int) -> GrammarToken | None:
        """The run at `position`. States that look alike expect the runs of each other's statements."""
        runs = _RUNS.intersection(self.tables.states[states[-1]])
        accepted = {name for name in runs if self._accepts(states, name)}
        if "SUBQUERY_RUN" in runs - accepted and self.text[position] == "(":
            # A parenthesis that is not closed is an error wherever it stands.
            balanced_end(self.text, position, one_group=True)
        return self._run(accepted, position) if accepted else None

    def _keywords_and_symbols(
        self, expected: dict[str, int], position: int, run: GrammarToken | None
    ) -> list[GrammarToken]:
        """The keyword or the character that the grammar accepts; a run that begins with the character is as good."""
        text, tokens = self.text, []
        word = WORD.match(text, position)
        keyword = self.tables.keywords.get(word[0].upper()) if word else None
        # SET var.x = 1 is about a key, SET VAR x = 1 about a variable.
        is_key = word is not None and "SETTING_KEY" in expected and text.startswith(".", word.end())
        if word and keyword in expected and not is_key:
            tokens.append(GrammarToken(keyword, position, word.end()))
        symbol = self.tables.symbols.get(text[position])
        if symbol in expected and (run is None or may_be_columns(text, position)):
            tokens.append(GrammarToken(symbol, position, position + 1))
        return tokens

    def _run(self, expected: Set[str], position: int) -> GrammarToken | None:
        """The run at `position`, if the grammar accepts one other than an expression."""
        text = self.text
        leading = self._leading(expected, position)
        if leading is not None:
            return leading
        if "QUERY_RUN" in expected and is_query(text, position):
            return GrammarToken("QUERY_RUN", position, balanced_end(text, position))
        if "SUBQUERY_RUN" in expected and text[position] == "(":
            return GrammarToken("SUBQUERY_RUN", position, balanced_end(text, position, one_group=True))
        if "ATOMIC_BLOCK" in expected and (end := atomic_end(text, position)) is not None:
            return GrammarToken("ATOMIC_BLOCK", position, end)
        stored = _stored_text(expected, text, position)
        if stored is not None:
            return stored
        if "REST_RUN" in expected and text[position] != ";":
            return GrammarToken("REST_RUN", position, balanced_end(text, position))
        return None

    def _leading(self, expected: Set[str], position: int) -> GrammarToken | None:
        """The run before the first word of a statement, if one begins at `position` that is no query."""
        word = WORD.match(self.text, position)
        opening = word[0].upper() if word else ""
        for name, end_of, openings in (("CTES_RUN", ctes_end, ("WITH",)), ("FROM_RUN", from_end, ("FROM", "WITH"))):
            end = end_of(self.text, position) if name in expected and opening in openings else None
            if end is not None:
                return GrammarToken(name, position, end)
        return None

    def _expression(self, states: list[int], position: int, previous: GrammarToken | None) -> GrammarToken | None:
        after = self._after(states, "EXPRESSION_RUN")
        if after is None:
            return None
        may_follow = functools.partial(self._accepts, after)
        scan = ExpressionScan(self.text, position, self.tables.keywords, may_follow)
        end = scan.run()
        if scan.complete:
            return GrammarToken("EXPRESSION_RUN", position, end)
        if end > position:
            # An operator without its operand: the place to complain about is after it.
            self._note(skip_blanks(self.text, end), states, previous)
        return None


def _rule_children(symbols: list[Any], production: Production) -> list[Any]:
    """The children of a reduced rule."""
    children: list[Any] = []
    for index, splice, nones in production.children:
        if nones:
            children += [None] * nones
        symbol = symbols[index]
        if not splice:
            children.append(_whole(symbol))
        elif children or len(symbol.children) > symbol.size:
            # Another way of reading has added to that list.
            children += symbol.children[: symbol.size]
        else:
            children = symbol.children
    if production.nones:
        children += [None] * production.nones
    return children


def _whole(symbol: Any) -> Any:
    """A tree with its own children alone; anything else as it is."""
    if isinstance(symbol, Tree) and len(symbol.children) > symbol.size:
        return symbol._replace(children=symbol.children[: symbol.size])
    return symbol


@functools.cache
def _matchers() -> tuple[tuple[str, Any], ...]:
    return tuple((name, re.compile(pattern).match) for name, pattern in (_DECLARED | grammar_tables().patterns).items())


def _is_terminal(symbol: str) -> bool:
    return symbol[0] == "$" or symbol.lstrip("_").isupper()
