"""The parser proper: an LALR automaton whose lexer looks only for the terminals that the grammar accepts next.

A word may be a keyword or a name. Where both fit, the keyword is tried first, and the name when that leads nowhere; so
every keyword that is not reserved can name a table or column. The error that is reported is the one furthest to the
right.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Set
from typing import Any, NamedTuple

from deltasql.base.errors.base import Caret
from deltasql.base.errors.syntax import TooComplexError
from deltasql.base.patterns import GAP, QUOTED_NAME, STRING
from deltasql.sql.extents import balanced_end, skip_blanks
from deltasql.sql.parser.runs import (
    RUNS,
    WORD,
    ExpressionScan,
    atomic_end,
    ctes_end,
    from_end,
    is_query,
    may_be_columns,
)
from deltasql.sql.parser.tables import END, Production, Tables, grammar_tables

# Far above what any statement needs; it bounds the time that a hopeless text can take.
_MAX_RETRIES = 500
# As many states as types nested a hundred deep take; code that walks them goes down as far.
_DEEPEST = 520

_RUNS = RUNS | {"ATOMIC_BLOCK"}
# Terminals that the grammar declares, and leaves to the patterns that all readers of SQL share; no name is empty.
_DECLARED = {
    "STRING": f"(?s:{STRING})",
    "QUOTED_IDENTIFIER": rf"(?!``(?!`)){QUOTED_NAME}",
    "INSERT_ALIAS": rf"(?i:(?!(?:BY|REPLACE|PARTITION)(?!\w))(?:AS{GAP}+)?(?:{QUOTED_NAME}|(?!AS(?!\w))\w+)"
    rf"(?={GAP}+(?:BY{GAP}+NAME|REPLACE{GAP}+(?:WHERE|USING|ON))(?!\w)))",
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
                raise TooComplexError().at(Caret(self.text, token.start, token.end))
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
        if word and keyword in expected:
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
