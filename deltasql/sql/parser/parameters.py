"""Values that are put into a statement before it is parsed: parameters, IDENTIFIER(text), and VERSION AS OF variable.

Parameters, `:name` and `?`, are replaced by SQL literals of their values. A name in IDENTIFIER may be computed in any
position, and no rule of the grammar depends on it. Source: Spark's IDENTIFIER clause.

The text of a view or a function is stored and parsed again: there the version of a time travel must be a literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from deltasql.base import Caret, DeltaSqlError, Token, closing, errors, tokenize
from deltasql.plan import TableName
from deltasql.schema import quote_name, quote_text, sql_literal
from deltasql.sql.constants import unquote
from deltasql.sql.postfix import BoundStatement, BoundValue, is_try_cast, with_try_casts
from deltasql.sql.references import has_subquery, is_deterministic
from deltasql.sql.statement_texts import without_tags

_NAME = re.compile(r"[A-Za-z_]\w*")
# A colon after a name, a bracket or another colon is not a marker: `c:path` reads a field of a variant, `x::int` casts.
_BEFORE_PATH = re.compile(r"[\w:`\])\"']")


@dataclass(frozen=True, slots=True)
class SqlValue:
    """A value with equivalent SQL, for types without literals."""

    sql: str
    value: Any


Variables = Callable[[str], str | None]
"""The text of a variable by its name, None for one without a value. For `$name` without braces, that is `$name`."""


def bind_parameters(
    sql: str, args: Mapping[str, Any] | Sequence[Any] | None, variables: Variables | None = None
) -> BoundStatement:
    """The statement with its parameters bound. Without `args`, `?` and `:name` are left for the parser to judge.

    `variables` are the texts in place of `${name}`, `{{name}}`, `$name` and getArgument('name'); without it these stay.
    Raises UnboundVariableError and UnsafeVariableError for these, UnboundParameterError for a marker without a value,
    ParameterValueError for a value without a literal, ParametersError for `args` that are neither a mapping nor a
    sequence of values, ParseSyntaxError for no Unicode, InvalidIdentifierError.
    """
    sql = without_tags(sql)
    if args is not None and (isinstance(args, (str, bytes)) or not isinstance(args, (Mapping, Sequence))):
        raise errors.ParametersError(type(args).__name__)
    found = [*_texts(sql, variables), *(() if args is None else _bound(sql, args))]
    if args is None and not found:
        return _checked(with_try_casts(BoundStatement(sql)))
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []
    values: list[BoundValue] = []
    at = length = 0
    for start, end, name, value in sorted(found, key=lambda item: item[0]):
        text = _literal(name, value)
        pieces += [sql[at:start], text]
        length += start - at + len(text)
        plain = value.value if isinstance(value, SqlValue) else value
        if not isinstance(value, _VariableText):
            values.append(BoundValue(length - len(text), length, sql[start:end], plain))
        shifts.append((length, len(text) - (end - start)))
        at = end
    return _checked(with_try_casts(BoundStatement("".join([*pieces, sql[at:]]), tuple(shifts), tuple(values))))


def _checked(bound: BoundStatement) -> BoundStatement:
    """The statement. Raises ParseSyntaxError for half of a surrogate pair, which no file, no engine and no catalog can
    store, and InvalidIdentifierError for a name that Spark takes in back-ticks only.
    """
    if bound.sql.isascii():
        return bound
    try:
        bound.sql.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(bound.sql[error.start]):04x}"
        raise errors.ParseSyntaxError(f"{code} is half of a surrogate pair, and no character.", code) from None
    for token in tokenize(bound.sql):
        if token.kind == "word" and not token.text.isascii():
            raise errors.InvalidIdentifierError(token.text).at(Caret(bound.sql, token.start, token.end))
    return bound


def parameter_names(sql: str) -> list[str]:
    """The parameters of a statement: each name once, as its first marker stands; for every `?` an empty text."""
    names = [_marker_name(sql, start, end) for start, end in markers(sql)]
    return [name for number, name in enumerate(names) if not name or name not in names[:number]]


def _bound(sql: str, args: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[int, int, str, Any]]:
    """Each marker with its value: (start, end, how it is called, value)."""
    ordinal = 0
    for start, end in markers(sql):
        caret, name = Caret(sql, start, end), _marker_name(sql, start, end)
        if name:
            if not isinstance(args, Mapping) or name not in args:
                raise errors.UnboundParameterError.of(f":{name}").at(caret)
            yield start, end, f":{name}", args[name]
            continue
        ordinal += 1
        if isinstance(args, Mapping) or ordinal > len(args):
            raise errors.UnboundParameterError(name=f"? number {ordinal}", example="[…, …]").at(caret)
        yield start, end, f"? number {ordinal}", args[ordinal - 1]


_NAMED = r"\$\{\s*(?P<name>[^\s{}'\"`;]+)\s*\}|\{\{\s*(?P<braced>[\w.]+)\s*\}\}"
_VARIABLE = re.compile(rf"{_NAMED}|\$(?P<bare>[A-Za-z_]\w*)")
_UNSAFE = re.compile(r";|--|/\*|\*/")
_MAY_HAVE_TEXTS = re.compile(r"\$|\{\{|\bgetArgument\b", re.IGNORECASE)
_HAS_VARIABLE = re.compile(_NAMED)


class _VariableText(NamedTuple):
    """Text that stands for a variable."""

    text: str


def _texts(sql: str, variables: Variables | None) -> Iterator[tuple[int, int, str, _VariableText]]:
    """Each variable with its text: (start, end, how it is called, text). One in a comment stays."""
    if variables is None or not _MAY_HAVE_TEXTS.search(sql):
        return
    tokens = tokenize(sql)
    for at, token in enumerate(tokens):
        if token.kind == "word" and token.key == "GETARGUMENT":
            yield from _argument(sql, tokens, at, variables)
        for match in _mentioned(sql, token):
            name = match["name"] or match["braced"]
            value = variables(name or f"${match['bare']}")
            if value is not None:
                yield match.start(), match.end(), match[0], _VariableText(_inside(value, token, sql, match))
            elif token.kind == "symbol" and name:
                raise errors.UnboundVariableError(name).at(Caret(sql, match.start(), match.end()))


def _mentioned(sql: str, token: Token) -> Iterator[re.Match[str]]:
    """The variables in a string or a quoted name, or the one that begins with this symbol."""
    if token.kind in {"string", "quoted"}:
        yield from _VARIABLE.finditer(sql, token.start, token.end)
    elif token.text in {"$", "{"} and (match := _VARIABLE.match(sql, token.start)) is not None:
        yield match


def _inside(value: str, token: Token, sql: str, match: re.Match[str]) -> str:
    """The text of a variable where it stands: escaped in quotes, else as it is. Raises UnsafeVariableError."""
    quote = token.text[-1]
    if token.kind == "quoted":
        return value.replace("`", "``")
    if token.kind == "string":
        return value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    parts = tokenize(value)
    unsafe = _UNSAFE.search(value)
    open_quote = next((part.text for part in parts if part.text[:1] in {"'", '"', "`"} and part.kind == "symbol"), "")
    if unsafe is not None or open_quote:
        found = unsafe[0] if unsafe is not None else open_quote[:1]
        raise errors.UnsafeVariableError(match[0], found).at(Caret(sql, match.start(), match.end()))
    return value


def _argument(
    sql: str, tokens: Sequence[Token], at: int, variables: Variables
) -> Iterator[tuple[int, int, str, _VariableText]]:
    """The value of `getArgument('name'[, 'default'])` as a literal. Raises UnboundVariableError."""
    inside = tokens[at + 2 : at + 3]
    if [token.key for token in tokens[at + 1 : at + 2]] != ["("] or not inside or inside[0].kind != "string":
        return
    end = closing(tokens, at + 1)
    name = unquote(inside[0].text)
    value = variables(name)
    if value is None and end == at + 5 and tokens[at + 4].kind == "string":
        value = unquote(tokens[at + 4].text)
    if value is None:
        raise errors.UnboundVariableError(name).at(Caret(sql, tokens[at].start, inside[0].end))
    if end < len(tokens):
        yield tokens[at].start, tokens[end].end, name, _VariableText(quote_text(value))


def has_variables(sql: str) -> bool:
    """Whether `${name}` or `{{name}}` stands in a statement."""
    return ("${" in sql or "{{" in sql) and _HAS_VARIABLE.search(sql) is not None


def with_placeholders(sql: str, numbers: Collection[int] = ()) -> str:
    """The statement with a name of the same length in place of each `${name}` and `{{name}}` outside of quotes.

    At the offsets `numbers` it is a whole number.
    """

    def placeholder(match: re.Match[str]) -> str:
        if match.start() in numbers:
            return "1".rjust(match.end() - match.start(), "0")
        return "_" + re.sub(r"\W", "_", match[0][2:-1]) + "__"

    pieces, at = [], 0
    for token in tokenize(sql):
        match = _HAS_VARIABLE.match(sql, token.start) if token.text[:1] in {"$", "{"} else None
        if match is not None:
            pieces += [sql[at : match.start()], placeholder(match)]
            at = match.end()
    return "".join([*pieces, sql[at:]])


def markers(sql: str) -> Iterator[tuple[int, int]]:
    """Where `?` and `:name` stand outside of strings, quoted names and comments. A name may be in back-ticks."""
    tokens = tokenize(sql)
    for index, (token, after) in enumerate(zip_longest(tokens, tokens[1:])):
        if token.key == "?":
            if not is_try_cast(tokens, index):
                yield token.start, token.end
        elif token.key == ":" and after is not None and after.start == token.end:
            is_name = after.kind == "quoted" or _NAME.fullmatch(after.text) is not None
            if is_name and not _BEFORE_PATH.match(sql, max(0, token.start - 1), token.start):
                yield token.start, after.end


def _marker_name(sql: str, start: int, end: int) -> str:
    """The name of a marker; empty for `?`."""
    name = sql[start + 1 : end]
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _literal(name: str, value: Any) -> str:
    if isinstance(value, _VariableText):
        return value.text
    if isinstance(value, SqlValue):
        return f"({value.sql})"
    if isinstance(value, str):
        # Our own parser may read it, where a literal is wanted.
        return quote_text(value)
    try:
        return sql_literal(value)
    except TypeError as error:
        raise errors.ParameterValueError(name=name, kind=str(error)) from None


_SUFFIX = re.compile(r"@(?:[vV]\d+|\d{17})$")
_OPERATORS = frozenset({"AND", "OR", "NOT", "CASE", "WHEN", "THEN", "ELSE", "END", "NULL", "AS", "IS", "IN", "LIKE"})

Evaluate = Callable[[str], Any]
"""The value of a constant expression. Raises a DeltaSqlError for what is none."""


def bind_identifiers(bound: BoundStatement, evaluate: Evaluate) -> BoundStatement:
    """The statement with the names that its IDENTIFIER(…) stand for; `evaluate` is asked for what is no plain text.

    Raises NameNotConstantError, NameOfWrongTypeError, NullNameError, and ParseSyntaxError for a text that is no name.
    """
    if "identifier" not in bound.sql.lower():
        return bound
    edits, tokens, at = [], tokenize(bound.sql), 0
    while at + 1 < len(tokens):
        end = closing(tokens, at + 1) if _is_word(tokens[at]) and tokens[at + 1].key == "(" else len(tokens)
        inside = tokens[at + 2 : end]
        if end == len(tokens) or not _is_expression(inside):
            at += 1
            continue
        edits.append((tokens[at].start, tokens[end].end, _name(bound.sql, inside, evaluate)))
        at = end + 1
    return bound.with_names(edits) if edits else bound


def _is_word(token: Token) -> bool:
    return token.kind == "word" and token.key == "IDENTIFIER"


def _is_expression(tokens: Sequence[Token]) -> bool:
    """Whether what stands in the parentheses may be one expression: a table may be called identifier, too."""
    depth, previous = 0, None
    for token in tokens:
        if token.key == "," and depth == 0:
            return False
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        both = previous is not None and previous.is_name and token.is_name
        if both and previous is not None and not {previous.key, token.key} & _OPERATORS:
            return False
        previous = token
    return bool(tokens)


def _name(sql: str, tokens: Sequence[Token], evaluate: Evaluate) -> str:
    """The quoted name, of one or several parts, that an expression gives."""
    expression = sql[tokens[0].start : tokens[-1].end]
    caret = Caret(sql, tokens[0].start, tokens[-1].end)
    value: Any = _joined(tokens)
    if value is None:
        value = _computed(expression, caret, evaluate)
    if value is None:
        raise errors.NullNameError(expression).at(caret)
    if not isinstance(value, str):
        raise errors.NameOfWrongTypeError(expression, type(value).__name__).at(caret)
    return _quoted(value, caret)


def _joined(tokens: Sequence[Token]) -> str | None:
    """The text of literals that `||` joins; None for any other expression."""
    texts, joins = tokens[::2], tokens[1::2]
    plain = all(token.kind == "string" for token in texts) and all(token.key == "||" for token in joins)
    return "".join(unquote(token.text) for token in texts) if plain and len(tokens) % 2 else None


def _computed(expression: str, caret: Caret, evaluate: Evaluate) -> Any:
    if not is_deterministic(expression) or has_subquery(f"({expression})"):
        raise errors.NameNotConstantError(expression).at(caret)
    for start, end in markers(expression):
        place = Caret(caret.sql, caret.start + start, caret.start + end)
        raise errors.UnboundParameterError.of(expression[start:end]).at(place)
    try:
        return evaluate(expression)
    except DeltaSqlError as error:
        raise errors.NameNotConstantError(expression).at(caret) from error


def _quoted(text: str, caret: Caret) -> str:
    """The name in `text`, each of its parts in quotes. Raises ParseSyntaxError."""
    suffix = _SUFFIX.search(text)
    tokens = tokenize(text[: suffix.start()] if suffix else text)
    names, dots = tokens[::2], tokens[1::2]
    written = "".join(token.text for token in tokens) + (suffix[0] if suffix else "")
    is_name = all(token.is_name for token in names) and all(token.key == "." for token in dots) and len(tokens) % 2
    if not is_name or written != text.strip():
        advice = "Parts stand between dots, and what is no plain word in back-ticks: IDENTIFIER('main.`my table`')."
        raise errors.ParseSyntaxError(f"The text {text!r} is no name. {advice}", text).at(caret)
    return ".".join(quoted_part(token.name) for token in names) + (suffix[0] if suffix else "")


def quoted_part(name: str) -> str:
    """One part of a name in back-ticks, even if it is a keyword."""
    return quote_name(name) if quote_name(name).startswith("`") else f"`{name}`"


def table_name(text: str) -> TableName:
    """The name in `text`, with its quotes resolved."""
    return TableName(tuple(token.name for token in tokenize(text) if token.is_name))


_WORDS = frozenset({"VERSION", "SYSTEM_VERSION"})
_BEHIND_A_COLUMN = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "QUALIFY"}
    | {"UNION", "INTERSECT", "EXCEPT", "MINUS", "WINDOW", "LATERAL"}
)
"""Keywords that may follow a column with the name `of`: SELECT version AS of FROM t."""
_LASTING = frozenset({"VIEW", "FUNCTION"})
_HEAD = 6
"""Words of CREATE OR REPLACE GLOBAL TEMPORARY VIEW, among which a temporary view is recognized."""


def bind_versions(bound: BoundStatement, evaluate: Callable[[str], Any]) -> BoundStatement:
    """The statement with numbers in place of session variables behind VERSION AS OF.

    `evaluate` gives the value of a name, None where it has none or no variable is called so. Raises UnknownVersionError
    for a name without a number, LastingVersionError for any name in a text that is stored.
    """
    tokens = tokenize(bound.sql) if "version" in bound.sql.lower() else []
    edits = []
    for at in range(len(tokens) - 3):
        first, end = at + 3, _name_end(tokens, at + 3)
        if tokens[at].key in _WORDS and [item.key for item in tokens[at + 1 : first]] == ["AS", "OF"] and end > first:
            start, stop = tokens[first].start, tokens[end - 1].end
            name = bound.sql[start:stop]
            if _lasts(tokens):
                raise errors.LastingVersionError(name).at(Caret(bound.sql, start, stop))
            value = evaluate(name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise errors.UnknownVersionError(name).at(Caret(bound.sql, start, stop))
            edits.append((start, stop, str(value)))
    return bound.with_names(edits) if edits else bound


def _lasts(tokens: Sequence[Token]) -> bool:
    """Whether a statement defines a view or a function of the catalog."""
    head = {token.key for token in tokens[:_HEAD]}
    return tokens[0].key in {"CREATE", "ALTER"} and bool(head & _LASTING) and not head & {"TEMPORARY", "TEMP"}


def _name_end(tokens: Sequence[Token], at: int) -> int:
    """The index behind the name, of one or several parts, that begins at token `at`; `at` where none does."""
    end = at
    while end < len(tokens) and tokens[end].is_name and tokens[end].key not in _BEHIND_A_COLUMN:
        end += 1
        if end + 1 >= len(tokens) or tokens[end].key != "." or not tokens[end + 1].is_name:
            break
        end += 1
    return end
