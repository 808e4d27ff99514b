"""Checks of expressions in a table's log (CHECK constraints, generated columns, defaults), and the text of functions.

Expressions are the only SQL in a log, and anybody may have written the log. So Spark does not get that text, but the
tokens that were checked in this process, without comments, and only if none of them refers to more than the row:
brackets pair up, there is no query, and every call is of one of Spark's functions that compute from their arguments
alone.

The text of CREATE FUNCTION behind the name is parsed to parameters, returned type, clauses and body as far as it is
certain; Spark parses the whole when the function is created. That of CREATE PROCEDURE is parsed up to its body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Any, NoReturn

from deltasql.base import Caret, Token, TokenCursor, comma_separated, errors, tokenize
from deltasql.schema import StructType
from deltasql.sql.added_calls import added_functions
from deltasql.sql.constants import unquote
from deltasql.sql.functions import FUNCTIONS, OF_A_ROW, OF_THE_MOMENT, OF_THE_SESSION, OUTSIDE
from deltasql.sql.missing_functions import translated
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import AGGREGATES, NOT_DETERMINISTIC, column_references, is_deterministic, parse_expression


class Use(Enum):
    """The use of an expression in a table."""

    CHECK = "CHECK constraint"
    GENERATED = "generated column"
    DEFAULT = "default"


class Reason(Enum):
    """Why an expression is refused."""

    SYNTAX = "syntax"
    QUERY = "query"
    WINDOW = "window"
    AGGREGATE = "aggregate"
    RANDOM = "random"
    FUNCTION = "function"
    OUTSIDE = "outside"
    COLUMN = "column"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused `part` of an expression, as messages name it, at offsets [start, end)."""

    reason: Reason
    part: str
    start: int
    end: int


_SYMBOLS = frozenset("()[],.+-*/%&|^~!=<>:") | {"<=>", "->", "=>", "::", "||", "<>", "!=", "<=", ">=", "=="}
_CLOSING = {"(": ")", "[": "]"}
_BEFORE_BRACKETS = frozenset(
    {
        *("AND", "OR", "NOT", "IN", "WHEN", "THEN", "ELSE", "CASE", "BETWEEN", "IS", "LIKE", "ILIKE", "RLIKE"),
        *("REGEXP", "ESCAPE", "AS", "FROM", "DISTINCT", "INTERVAL", "DIV", "BOTH", "LEADING", "TRAILING", "FOR"),
        *("PLACING", "DECIMAL", "DEC", "NUMERIC", "CHAR", "VARCHAR", "CHARACTER", "TIME"),
    }
)
"""Keywords of the grammar of expressions that a bracket may follow: no functions."""
_QUANTIFIERS = frozenset({"ANY", "ALL", "SOME"})
_LIKE = frozenset({"LIKE", "ILIKE", "RLIKE", "NOT"})
_TAKING_FROM = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION"})
_CONSTANTS = frozenset({"NULL", "TRUE", "FALSE", "AND", "OR", "NOT", "IS", "IN"})
_UNITS = frozenset(
    {
        *("microsecond", "millisecond", "second", "minute", "hour", "day", "dayofyear", "week", "month", "quarter"),
        *("year", "dow", "doy", "yearofweek", "dayofweek", "dayofweek_iso", "epoch"),
    }
)
_BLANKS = re.compile(r"[ \t\r\n]*")


def refusal(sql: str, use: Use) -> Refusal | None:
    """The first part of `sql` that is refused, or None. Names of columns are not checked."""
    return _refusal(sql, use)


@lru_cache(maxsize=1000)
def _refusal(sql: str, use: Use) -> Refusal | None:
    return next(_Reading(sql, use).refusals(), None)


def stored_refusal(sql: str, use: Use, schema: StructType) -> Refusal | None:
    """The first part that is refused of an expression in a table's log, or None; names must be columns of `schema`.

    Any other name would be a variable of the session. An expression that only Spark can parse is left to Spark.
    """
    return refusal(sql, use) or _unknown_name(bare(sql), schema)


def declared_refusal(sql: str, use: Use, schema: StructType) -> Refusal | None:
    """The first part that is refused of an expression in a statement, or None, after Spark has analysed it."""
    return refusal(sql, use) or _unknown_name(sql, schema)


def _unknown_name(sql: str, schema: StructType) -> Refusal | None:
    if not _may_name(tokenize(sql), schema) or parse_expression(sql) is None:
        return None
    for reference in column_references(sql):
        name = reference.parts[0].lower()
        if schema.find(name) is None and name not in _UNITS | OF_THE_MOMENT | OF_THE_SESSION:
            part = f"{sql[reference.start : reference.end]}, which is no column of the table,"
            return Refusal(Reason.COLUMN, part, reference.start, reference.end)
    return None


def _may_name(tokens: Sequence[Token], schema: StructType) -> bool:
    """Whether there may be a name that is no column of `schema`: only then the expression is parsed."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        applied = after is not None and (after.key == "(" or after.kind == "string")
        is_known = token.key in _CONSTANTS or schema.find(token.name) is not None
        if token.is_name and not applied and not is_known:
            return True
    return False


def bare(sql: str) -> str:
    """`sql` without comments, and with Spark's functions: the text for Spark of an expression without a `refusal`."""
    tokens = tokenize(sql)
    pieces, at = [], tokens[0].start if tokens else 0
    for token in tokens:
        gap = sql[at : token.start]
        pieces += [gap if _BLANKS.fullmatch(gap) else " ", token.text]
        at = token.end
    return translated("".join(pieces))


class _Reading(TokenCursor):
    """A scan of the tokens of an expression for refused parts."""

    def __init__(self, sql: str, use: Use) -> None:
        super().__init__(sql)
        self.use = use

    def refusals(self) -> Iterator[Refusal]:
        if not self.left:
            yield Refusal(Reason.SYNTAX, "An empty expression", 0, 0)
        yield from self._shape()
        for index in range(len(self.tokens)):
            self.at = index
            refused = self._query() or self._call()
            if refused is not None:
                yield refused

    def _refused(self, reason: Reason, part: str) -> Refusal:
        token = self.tokens[self.at]
        return Refusal(reason, part, token.start, token.end)

    def _shape(self) -> Iterator[Refusal]:
        """Refusals of invalid characters, of unpaired brackets, and of a second expression."""
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            self.at = index
            wrong = self._character(token) or self._bracket(token.key, opened)
            if wrong:
                yield self._refused(Reason.SYNTAX, wrong)
        if opened:
            self.at = opened[-1]
            yield self._refused(Reason.SYNTAX, f"A bracket that nothing closes, {self.key},")

    def _character(self, token: Token) -> str:
        """The description of a token that is invalid by itself; "" for a valid one."""
        if token.kind == "symbol" and token.key not in _SYMBOLS:
            return f"The character {token.text!r}"
        if "${" in token.text:
            # Spark puts settings and environment variables in its place, in texts and names as well.
            return "A variable, ${…},"
        return "The text ://" if token.key == ":" and self.peek(1) == self.peek(2) == "/" else ""

    def _bracket(self, key: str, opened: list[int]) -> str:
        """The description of an unpaired bracket or a top-level comma; "" for a valid token. Updates `opened`."""
        if key in _CLOSING:
            opened.append(self.at)
        elif key in {")", "]"} and (not opened or _CLOSING[self.tokens[opened.pop()].key] != key):
            return f"A bracket that nothing opens, {key},"
        elif key == "," and not opened:
            return "A second expression"
        return ""

    def _query(self) -> Refusal | None:
        """Refusal of a word that begins a query: after a bracket, and where the expression begins."""
        key, begins = self.key, self.at == 0 or self.peek(-1) == "("
        is_query = key in {"SELECT", "USING"} or (
            begins and (key in {"FROM", "VALUES"} or (key in {"WITH", "TABLE"} and self.is_name_at(1)))
        )
        if is_query or (key == "FROM" and not self._is_word_of_a_call()):
            return self._refused(Reason.QUERY, "A sub-query")
        return None

    def _is_word_of_a_call(self) -> bool:
        """Whether FROM belongs to IS DISTINCT FROM, or to a function in whose brackets it may stand."""
        if self.peek(-1) == "DISTINCT":
            return True
        depth = 0
        for at in range(self.at - 1, 0, -1):
            depth += (self.tokens[at].key == ")") - (self.tokens[at].key == "(")
            if depth < 0:
                return self.tokens[at - 1].key in _TAKING_FROM
        return False

    def _call(self) -> Refusal | None:
        token, called = self.tokens[self.at], self.peek(1) == "("
        if token.kind == "string" and called:
            # Double quotes are those of a name in some sessions.
            return self._refused(Reason.FUNCTION, f"{token.text}()")
        if not token.is_name:
            return None
        if called:
            return None if token.kind == "word" and self._is_grammar() else self._called(token)
        return self._constant(token) if token.kind == "word" and self.peek(-1) != "." else None

    def _called(self, token: Token) -> Refusal | None:
        """Refusal of the function before a bracket."""
        if token.key == "OVER":
            return self._refused(Reason.WINDOW, "A window function")
        if self.peek(-1) == "." and not self._is_spelled_out():
            return self._refused(Reason.FUNCTION, f"A function of a schema, {token.text}(),")
        name = token.name.lower()
        added = added_functions().get(name)
        if name in OF_A_ROW or (added and not added.is_aggregate) or self._may_look_around(name):
            return None
        if name in AGGREGATES or name.endswith("_agg") or "_agg_" in name:
            return self._refused(Reason.AGGREGATE, f"The aggregate {token.text}()")
        return self._refused(_reason(name), f"{token.text}()")

    def _constant(self, token: Token) -> Refusal | None:
        """Refusal of a function without brackets, unless it is a field."""
        name = token.name.lower()
        if name not in (OF_THE_MOMENT | OF_THE_SESSION) - {"user", "unix_timestamp"} or self._may_look_around(name):
            return None
        return self._refused(_reason(name), token.text)

    def _may_look_around(self, name: str) -> bool:
        if self.use is Use.DEFAULT:
            return name in OF_THE_MOMENT or name in OF_THE_SESSION
        return self.use is Use.CHECK and name in OF_THE_MOMENT

    def _is_grammar(self) -> bool:
        key = self.key
        return key in _BEFORE_BRACKETS or (key in _QUANTIFIERS and self.peek(-1) in _LIKE)

    def _is_spelled_out(self) -> bool:
        """Whether a function is called as system.builtin.f."""
        before = [token.name.lower() for token in self.tokens[max(0, self.at - 4) : self.at]]
        return before == ["system", ".", "builtin", "."] and self.peek(-5) != "."


def _reason(name: str) -> Reason:
    """The reason to refuse a function that depends on more than its row."""
    if name in OF_THE_SESSION or name in OUTSIDE:
        return Reason.OUTSIDE
    return Reason.RANDOM if name in NOT_DETERMINISTIC or name in OF_THE_MOMENT else Reason.FUNCTION


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function or a procedure, or a column of a table: `type` and `default` as SQL text.

    `mode` is IN, OUT or INOUT.
    """

    name: str
    type: str
    default: str | None = None
    comment: str | None = None
    mode: str = "IN"

    @property
    def is_out(self) -> bool:
        """Whether a call gets a value back."""
        return self.mode != "IN"


@dataclass(frozen=True, slots=True)
class PythonText:
    """The code of a function of Python, as written; the function or class of it that is called, and its requirements.

    `handler` is None where the code is the body of a function.
    """

    code: str
    handler: str | None
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionText:
    """The parsed text behind the name in CREATE FUNCTION.

    `returns` is the SQL of the type, None where RETURNS is left out or a table is returned, whose `columns` may be left
    out, too. `language` is in capitals; `offset` is the offset at which RETURNS may be inserted, `body_start` that of
    the body, None where there is none (AS 'class'). `python` is set for a function of Python with code.
    """

    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    columns: tuple[Parameter, ...] | None = None
    comment: str | None = None
    language: str | None = None
    clauses: frozenset[str] = frozenset()
    offset: int = 0
    body_start: int | None = None
    body: str = ""
    python: PythonText | None = None

    @property
    def is_table(self) -> bool:
        return self.columns is not None

    @property
    def deterministic(self) -> bool:
        """Whether a clause declares it; without one, whether the body calls deterministic functions only."""
        if "NOT DETERMINISTIC" in self.clauses:
            return False
        return "DETERMINISTIC" in self.clauses or is_deterministic(self.body)

    @property
    def data_access(self) -> str:
        """READS SQL DATA if a clause declares it or the body reads tables, else CONTAINS SQL."""
        reads = "READS SQL DATA" in self.clauses or table_references(self.body)
        return "READS SQL DATA" if reads else "CONTAINS SQL"


def function_text(text: str) -> FunctionText:
    """Parses the text behind the name in CREATE FUNCTION."""
    return _Reader(text).function()


class _Reader(TokenCursor):
    def __init__(self, text: str) -> None:
        super().__init__([token for token in tokenize(text) if token.key != ";"])
        self.sql = text
        self.environment: list[tuple[str, str]] = []

    def function(self) -> FunctionText:
        parameters = tuple(self.items(self.group())) if self.key == "(" else ()
        after = self.tokens[self.at - 1].end if self.at else 0
        returns, columns = self.returned()
        texts, clauses = self.clauses()
        # RETURN, or AS 'class', ended the clauses.
        body_start = None
        if self.peek(-1) == "RETURN":
            body_start = self.tokens[self.at].start if self.left else len(self.sql)
        end = self.tokens[-1].end if self.tokens else 0
        body = "" if body_start is None else self.sql[body_start:end].rstrip(";").rstrip()
        comment, language = texts.get("COMMENT"), texts.get("LANGUAGE")
        python = self.python() if language == "PYTHON" else None
        return FunctionText(
            parameters,
            returns,
            columns,
            comment,
            language,
            clauses,
            after,
            body_start,
            body,
            None if python is None else PythonText(python, texts.get("HANDLER"), tuple(self.environment)),
        )

    def python(self) -> str | None:
        """The code behind AS, which must be the last of the text; None where there is none."""
        is_last = self.peek(-1) == "AS" and self.at == len(self.tokens) - 1
        return unquote(self.tokens[self.at].text) if is_last and self.kind in {"dollars", "string"} else None

    def clauses(self) -> tuple[dict[str, str], frozenset[str]]:
        """Steps over the clauses, and over RETURN or AS: COMMENT and LANGUAGE with their texts, and the others."""
        texts, others = dict[str, str](), set[str]()
        while self.left:
            key = self.next().key
            if key in {"RETURN", "AS"}:
                break
            if (key == "COMMENT" and self.kind == "string") or (key == "HANDLER" and self.kind == "string"):
                texts[key] = unquote(self.next().text)
            elif key == "ENVIRONMENT" and self.key == "(":
                self.environment += _pairs(self.group())
            elif key == "LANGUAGE" and self.left:
                texts[key] = self.next().key
            else:
                others.add(self.clause(key))
        return texts, frozenset(others)

    def clause(self, key: str) -> str:
        """The words of a clause that begins with `key`."""
        more = {"NOT": 1, "CONTAINS": 1, "READS": 2, "SQL": 2}.get(key, 0)
        words = [key]
        while more and self.left:
            words.append(self.next().key)
            more -= 1
        return " ".join(words)

    def returned(self) -> tuple[str | None, tuple[Parameter, ...] | None]:
        if not self.take("RETURNS"):
            return None, None
        if self.take("TABLE"):
            return None, tuple(self.items(self.group())) if self.key == "(" else ()
        start = self.at
        self.type()
        return self.text(start, self.at), None

    def type(self) -> None:
        """Steps over a type: a word with what stands in its brackets, INTERVAL DAY TO SECOND, STRING COLLATE x."""
        self.at = type_end(self.tokens, self.at)

    def items(self, group: object) -> Iterator[Parameter]:
        """The parameters between the brackets of a group that has just been stepped over."""
        assert isinstance(group, (list, tuple))
        inner = group[1:-1] if len(group) > 1 and group[-1].key == ")" else group[1:]
        for item in _split(list(inner)):
            if item and item[0].is_name:
                yield self.parameter(item)

    def parameter(self, item: Sequence[Token]) -> Parameter:
        name, rest = item[0].name, item[1:]
        ends = [index for index, token in enumerate(rest) if token.key in {"DEFAULT", "COMMENT", "NOT"}]
        kind = rest[: ends[0]] if ends else rest
        default = comment = None
        for start, end in pairwise([*ends, len(rest)]):
            part = rest[start + 1 : end]
            if rest[start].key == "DEFAULT" and part and default is None:
                default = self.sql[part[0].start : part[-1].end]
            elif rest[start].key == "COMMENT" and part and part[0].kind == "string":
                comment = unquote(part[0].text)
        written = self.sql[kind[0].start : kind[-1].end] if kind else ""
        return Parameter(name, written, default, comment)

    def text(self, start: int, end: int) -> str:
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""


def _pairs(group: Sequence[Token]) -> list[tuple[str, str]]:
    """The pairs `key = 'text'` between the brackets of a group, keys in lower case."""
    return [
        (item[0].name.lower(), unquote(item[2].text))
        for item in comma_separated(group[1:-1])
        if len(item) == 3 and item[0].is_name and item[1].key == "=" and item[2].kind == "string"
    ]


@dataclass(frozen=True, slots=True)
class ProcedureText:
    """The parsed text behind the name in CREATE PROCEDURE.

    `start` is the offset of the body, a script. `language`, `security` and `data_access` are in capitals, and None
    where they are left out; so is `collation`.
    """

    parameters: tuple[Parameter, ...]
    start: int
    body: str
    language: str | None = None
    security: str | None = None
    data_access: str | None = None
    comment: str | None = None
    collation: str | None = None
    deterministic: bool = False


_MODES = frozenset({"IN", "OUT", "INOUT"})
_BEHIND_TYPE = frozenset({"DEFAULT", "COMMENT", "NOT", "COLLATE"})


def procedure_text(text: str) -> ProcedureText:
    """Parses the text behind the name in CREATE PROCEDURE, but not its body.

    Raises ParseSyntaxError, DuplicateClausesError, DuplicateParameterError, with carets in `text`.
    """
    return _ProcedureReader(text).procedure()


class _ProcedureReader(_Reader):
    def procedure(self) -> ProcedureText:
        if self.key != "(":
            self.wrong("'('")
        parameters = tuple(self.modes(self.group()))
        values: dict[str, Any] = {}
        while not self.take("AS"):
            first = self.at
            field, value = self.characteristic()
            if field in values:
                token = self.tokens[first]
                raise errors.DuplicateClausesError(token.key).at(Caret(self.sql, token.start, token.end))
            values[field] = value
        labelled = self.is_name and self.peek(1) == ":" and self.peek(2) == "BEGIN"
        if self.key != "BEGIN" and not labelled:
            self.wrong("BEGIN")
        start = self.tokens[self.at].start
        return ProcedureText(parameters, start, self.sql[start:].rstrip("; \t\r\n"), **values)

    def characteristic(self) -> tuple[str, Any]:
        """The next clause, by the field that it sets."""
        if self.take("LANGUAGE"):
            return "language", self.word("the name of a language").upper()
        if self.take("COMMENT"):
            if self.kind != "string":
                self.wrong("a string")
            return "comment", unquote(self.next().text)
        if self.words("SQL", "SECURITY"):
            return "security", self.take("INVOKER", "DEFINER") or self.wrong("INVOKER", "DEFINER")
        if self.words("DEFAULT", "COLLATION"):
            return "collation", self.word("a collation").upper()
        for words in (("MODIFIES", "SQL", "DATA"), ("READS", "SQL", "DATA"), ("CONTAINS", "SQL")):
            if self.words(*words):
                return "data_access", " ".join(words)
        if self.words("NOT", "DETERMINISTIC"):
            return "deterministic", False
        if self.take("DETERMINISTIC"):
            return "deterministic", True
        return self.wrong(
            *("AS", "COMMENT", "DEFAULT COLLATION", "LANGUAGE", "MODIFIES SQL DATA", "NOT DETERMINISTIC"),
            "SQL SECURITY",
        )

    def words(self, *keys: str) -> bool:
        """A step over these words where they follow."""
        found = all(self.peek(ahead) == key for ahead, key in enumerate(keys))
        self.at += len(keys) if found else 0
        return found

    def word(self, kind: str) -> str:
        if not self.is_name:
            self.wrong(kind)
        return self.next().name

    def modes(self, group: Sequence[Token]) -> Iterator[Parameter]:
        """The parameters of a procedure, each with its mode."""
        seen = set[str]()
        for number, item in enumerate(_split(group[1:-1]) if len(group) > 2 else ()):
            if not item:
                self.wrong_at(group[-1] if number else group[0], "the name of a parameter")
            parameter = self.with_mode(item)
            if parameter.name.lower() in seen:
                raise errors.DuplicateParameterError(parameter.name).at(Caret(self.sql, item[0].start, item[-1].end))
            seen.add(parameter.name.lower())
            yield parameter

    def with_mode(self, item: Sequence[Token]) -> Parameter:
        """One parameter. IN, OUT and INOUT before a type are names."""
        named = item[0].key in _MODES and len(item) > 2 and item[2].key not in _BEHIND_TYPE and item[2].is_name
        begin = item[1:] if named else item
        if len(begin) < 2 or not all(token.is_name for token in begin[:2]):
            self.wrong_at(begin[-1], "the name of a parameter and its type")
        return replace(self.parameter(begin), mode=item[0].key if named else "IN")

    def wrong(self, *expected: str) -> NoReturn:
        """Raises ParseSyntaxError for the next token."""
        token = self.tokens[self.at] if self.left else None
        self.wrong_at(token, *expected)

    def wrong_at(self, token: Token | None, *expected: str) -> NoReturn:
        """Raises ParseSyntaxError for a token; None is the end of the text."""
        shown = "the end of the statement" if token is None else f"'{token.text}'"
        start, end = (len(self.sql), len(self.sql)) if token is None else (token.start, token.end)
        reason = f"Found {shown}, but expected {' or '.join(expected)}."
        error = errors.ParseSyntaxError(reason, "" if token is None else token.text, expected)
        raise error.at(Caret(self.sql, start, max(start + 1, end)))


_INTERVAL_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def type_end(tokens: Sequence[Token], start: int) -> int:
    """The index behind the type that begins at a token: a word and its brackets, INTERVAL DAY TO SECOND."""
    at = TokenCursor(tokens, start + 1)
    if at.peek(-1) == "INTERVAL" and at.take(*_INTERVAL_UNITS) and at.take("TO"):
        at.at += 1
    if at.key == "(":
        at.group()
    elif at.take("<>"):
        pass
    elif at.key == "<":
        depth = 0
        while at.left:
            key = at.next().key
            depth += {"<": 1, ">": -1}.get(key, 0) - (2 if key == ">>" else 0)
            if depth <= 0:
                break
    if at.take("COLLATE"):
        at.at += 1
    return min(at.at, len(tokens))


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens between the commas outside of all brackets, those of types too."""
    item: list[Token] = []
    depth = 0
    for part in comma_separated(tokens):
        item += part
        depth += sum((token.key == "<") - (token.key == ">") for token in part)
        if depth <= 0:
            yield item
            item, depth = [], 0


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function in a text: the name, which `start` and `end` span."""

    parts: tuple[str, ...]
    start: int
    end: int


def function_calls(sql: str) -> Iterator[FunctionCall]:
    """Calls in a text of functions that are none of Spark's own, judged by their names.

    Other names that take brackets may be among them; the names behind AS are not.
    """
    at = TokenCursor(sql)
    while at.left:
        if not at.is_name or at.peek(-1) == ".":
            at.at += 1
            continue
        before, chain = at.peek(-1), at.dotted()
        is_builtin = len(chain) > 1 or chain[0].key in _WORDS or chain[0].name.upper() in FUNCTIONS
        if at.key != "(" or before in {"AS", ")", "WITH"} or (is_builtin and len(chain) == 1) or len(chain) > 3:
            continue
        yield FunctionCall(tuple(token.name for token in chain), chain[0].start, chain[-1].end)


_WORDS = frozenset(
    {
        *("SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "EXISTS", "VALUES", "ON", "USING", "BY", "AS", "OVER"),
        *("CASE", "WHEN", "THEN", "ELSE", "END", "IS", "LIKE", "BETWEEN", "RETURN", "SET", "INSERT", "UNION", "ALL"),
        *("EXCEPT", "INTERSECT", "DISTINCT", "HAVING", "LIMIT", "JOIN", "LATERAL", "TABLE", "STRUCT", "INTERVAL"),
        *("ANY", "SOME", "OF", "WITH", "RETURNS", "DECIMAL", "VARCHAR", "CHAR", "IDENTIFIER", "FILTER", "WITHIN"),
    }
)
