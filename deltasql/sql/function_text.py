"""The text of CREATE FUNCTION behind the name, parsed: parameters, returned type, clauses and body.

Only what is certain is parsed; Spark parses the whole when the function is created.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from deltasql.sql.constants import unquote
from deltasql.sql.cursor import TokenCursor, comma_separated
from deltasql.sql.functions.spark_names import FUNCTIONS
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import is_deterministic
from deltasql.sql.tokens import Token, tokenize


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, or a column of its table: `type` and `default` as SQL text."""

    name: str
    type: str
    default: str | None = None
    comment: str | None = None


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

    def parameter(self, item: list[Token]) -> Parameter:
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


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
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
    at = TokenCursor(tokenize(sql))
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
