"""Declarations of BEGIN … END: the parser of variables, conditions, cursors and handlers, and variables at run time.

Declarations stand at the beginning of a block, in that order. The variables of a script are variables of Spark's
session for as long as their block lasts, so Spark resolves them in any expression, after columns. The innermost
variable of a name has that name in Spark; one that it hides, of the session or of an outer block, has a generated name
meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NoReturn
from uuid import uuid4

from deltasql.base import Caret, DeltaSqlError, Token, TokenCursor, errors, tokenize
from deltasql.plan import ColumnPath, SqlText, hidden
from deltasql.schema import quote_name as quote
from deltasql.session.script.tree import (
    Declaration,
    DeclareCondition,
    DeclareCursor,
    DeclareVariables,
    Handler,
    Host,
    ResultRows,
    Statement,
    Trigger,
)
from deltasql.sql import Replacement, table_references, unquote

_NO_LABELS = frozenset({"SYSTEM", "SESSION", "BUILTIN", "LOCAL"})


class ScriptReader(TokenCursor):
    """A position in the tokens of `script`. Results have offsets in that text.

    `labels` are those of the blocks and loops around the place, in capitals, each with whether it is a loop's.
    """

    def __init__(self, script: str, start: int = 0) -> None:
        """The tokens before the offset `start` are left out."""
        super().__init__([token for token in tokenize(script) if token.start >= start])
        self.script = script
        self.labels: dict[str, bool] = {}

    def expect(self, *keys: str) -> str:
        """A step over the next token, which must be one of these. Raises ParseSyntaxError."""
        return self.take(*keys) or self.wrong(*keys)

    def phrase(self, *keys: str) -> bool:
        """A step over these tokens where they follow."""
        if any(self.peek(ahead) != key for ahead, key in enumerate(keys)):
            return False
        self.at += len(keys)
        return True

    def wrong(self, *expected: str) -> NoReturn:
        """Raises ParseSyntaxError for the next token."""
        token = self.tokens[self.at] if self.left else None
        text = token.text if token else ""
        shown = f"'{text}'" if token else "the end of the script"
        start = token.start if token else len(self.script.rstrip())
        reason = f"Found {shown}, but expected {' or '.join(expected)}."
        error = errors.ParseSyntaxError(reason, text, expected)
        raise error.at(Caret(self.script, start, max(start + 1, token.end if token else 0)))

    @property
    def offset(self) -> int:
        """Where the next token stands."""
        return self.tokens[self.at].start if self.left else len(self.script)

    def refuse(self, error: DeltaSqlError, first: int) -> NoReturn:
        """Raises `error`, placed at the tokens from index `first` up to the cursor."""
        raise error.at(Caret(self.script, self.tokens[first].start, self.tokens[max(first, self.at - 1)].end))

    def word(self, kind: str) -> str:
        """The next token as a name. Raises ParseSyntaxError, where it calls that `kind`."""
        if not self.is_name:
            self.wrong(kind)
        return self.next().name

    def path(self, kind: str) -> ColumnPath:
        """The next tokens as a name with dots."""
        if not self.is_name:
            self.wrong(kind)
        names = self.dotted()
        return ColumnPath(tuple(token.name for token in names), names[0].start, names[-1].end)

    def string(self) -> str:
        """The value of the string that is next."""
        if self.kind != "string":
            self.wrong("a string")
        return unquote(self.next().text)

    def text(self, first: int, end: int) -> SqlText:
        """The script's text from token `first` up to token `end`."""
        if first >= end:
            return SqlText("", self.offset)
        start = self.tokens[first].start
        return SqlText(self.script[start : self.tokens[end - 1].end], start)

    def until(self, kind: str, *keys: str) -> SqlText:
        """The text up to one of `keys` outside of brackets and CASE, which it stops at. Raises ParseSyntaxError."""
        first, cases = self.at, 0
        while self.left and self.key != ";":
            dotted = self.peek(-1) == "."
            if not cases and not dotted and self.key in keys:
                break
            cases += (self.key == "CASE" and not dotted) - (self.key == "END" and not dotted and cases > 0)
            self.group()
        if self.at == first:
            self.wrong(kind)
        if self.key not in keys:
            self.wrong(*keys)
        return self.text(first, self.at)

    def statement_text(self) -> SqlText:
        """The text up to the next `;`, which it stops at."""
        first = self.at
        while self.left and self.key != ";":
            self.at += 1
        return self.text(first, self.at)

    def text_before(self, end: int) -> SqlText:
        """The text up to the offset `end`, which it stops at."""
        first = self.at
        while self.left and self.tokens[self.at].start < end:
            self.at += 1
        return self.text(first, self.at)

    @contextmanager
    def labelled(self, label: Token | None, *, loop: bool) -> Iterator[None]:
        """Within the context, a label may be left, and with `loop` iterated. Raises LabelExistsError and the like."""
        if label is None:
            yield
            return
        key, caret = label.name.upper(), Caret(self.script, label.start, label.end)
        if key in _NO_LABELS:
            raise errors.LabelForbiddenError(label=label.name).at(caret)
        if key in self.labels:
            raise errors.LabelExistsError(label=label.name).at(caret)
        self.labels[key] = loop
        try:
            yield
        finally:
            del self.labels[key]


def listed(reader: ScriptReader, item: Callable[[], None]) -> None:
    """Calls `item` for each of the things between commas."""
    item()
    while reader.take(","):
        item()


_SQLSTATE = re.compile(r"(?!00|01|XX)[0-9A-Z]{5}")
_RAISED_BY_USER = "45000"
_NAMES, _CURSORS, _HANDLERS, _STATEMENTS = range(4)


class Declarations:
    """Parses the declarations of one block; one whose kind comes before that of the last is an error."""

    def __init__(
        self, reader: ScriptReader, statement: Callable[[], Statement], check_query: Callable[[SqlText], None]
    ) -> None:
        """`statement` parses the statement of a handler, `check_query` raises the syntax errors of a cursor's query."""
        self._reader, self._statement, self._check_query = reader, statement, check_query
        self._stage = _NAMES
        self._names: dict[str, set[str]] = {"variable": set(), "condition": set(), "cursor": set(), "handler": set()}
        self.parsed: list[Declaration] = []

    def end(self) -> None:
        """Called at the first statement: behind it nothing may be declared."""
        self._stage = _STATEMENTS

    def read(self) -> None:
        """Parses one declaration, whose DECLARE is next, without the `;` behind it."""
        reader, first = self._reader, self._reader.at
        reader.expect("DECLARE")
        if reader.key in {"EXIT", "CONTINUE"} and reader.peek(1) == "HANDLER":
            self.parsed.append(self._handler(first))
        elif reader.is_name and reader.peek(1) == "CONDITION":
            self.parsed.append(self._condition(first))
        elif reader.is_name and _cursor_follows(reader):
            self.parsed.append(self._cursor(first))
        else:
            self.parsed.append(self._variables(first))

    def _new(self, kind: str, name: str) -> bool:
        """Adds a name to the block; False if the block has such a thing already."""
        names, key = self._names[kind], name.upper()
        is_new = key not in names
        names.add(key)
        return is_new

    def _variables(self, first: int) -> DeclareVariables:
        reader = self._reader
        replaces = reader.phrase("OR", "REPLACE")
        if reader.key in {"VARIABLE", "VAR"} and reader.is_name_at(1):
            reader.at += 1
        names: list[str] = []

        def name() -> None:
            path = reader.path("the name of a variable")
            if len(path.parts) > 1:
                reader.refuse(errors.QualifiedVariableError(name=str(path)), first)
            if path.parts[0].upper() in map(str.upper, names):
                reader.refuse(errors.DuplicateVariableError(name=path.parts[0]), first)
            names.append(path.parts[0])

        listed(reader, name)
        if replaces:
            reader.refuse(errors.ReplacedVariableError(name=names[0]), first)
        if self._stage > _NAMES:
            reader.refuse(errors.VariablePlaceError(name=names[0]), first)
        for declared in names:
            if not self._new("variable", declared):
                reader.refuse(errors.VariableExistsError(name=declared), first)
        if not reader.left or reader.key == ";":
            reader.wrong("a type", "DEFAULT")
        begin = reader.at
        rest = reader.statement_text()
        return DeclareVariables(tuple(names), rest, self._default(begin), reader.tokens[first].start)

    def _default(self, begin: int) -> SqlText | None:
        """The expression behind DEFAULT or `=` in the tokens from `begin` up to the cursor."""
        reader, end = self._reader, self._reader.at
        reader.at = begin
        default = None
        while reader.at < end and default is None:
            is_default = reader.key in {"DEFAULT", "="}
            reader.group()
            default = reader.text(reader.at, end) if is_default else None
        reader.at = end
        return default

    def _condition(self, first: int) -> DeclareCondition:
        reader = self._reader
        name = reader.word("the name of a condition")
        reader.expect("CONDITION")
        state = sqlstate(reader) if reader.take("FOR") else _RAISED_BY_USER
        if self._stage > _NAMES:
            reader.refuse(errors.ConditionPlaceError(name=name), first)
        if not self._new("condition", name):
            reader.refuse(errors.DuplicateConditionError(name=name), first)
        return DeclareCondition(name, state, reader.tokens[first].start)

    def _cursor(self, first: int) -> DeclareCursor:
        reader = self._reader
        name = reader.word("the name of a cursor")
        reader.take("ASENSITIVE", "INSENSITIVE")
        reader.expect("CURSOR")
        reader.expect("FOR")
        query = reader.statement_text()
        query = SqlText(re.sub(r"(?<!\s)\s+FOR\s+READ\s+ONLY\s*\Z", "", query.text, flags=re.IGNORECASE), query.start)
        if self._stage > _CURSORS:
            reader.refuse(errors.CursorPlaceError(name=name), first)
        self._stage = _CURSORS
        if not self._new("cursor", name):
            reader.refuse(errors.CursorExistsError(name=name), first)
        self._check_query(query)
        return DeclareCursor(name, query, reader.tokens[first].start)

    def _handler(self, first: int) -> Handler:
        reader = self._reader
        leaves = reader.next().key == "EXIT"
        reader.expect("HANDLER")
        reader.expect("FOR")
        triggers: list[Trigger] = []

        def trigger() -> None:
            item = self._trigger()
            if item in triggers:
                reader.refuse(errors.DuplicateTriggerError(name=item.name or item.kind), first)
            triggers.append(item)

        listed(reader, trigger)
        if len(triggers) > 1 and any(item.kind in {"SQLEXCEPTION", "NOT FOUND"} for item in triggers):
            reader.refuse(errors.HandlerCombinationError(), first)
        if self._stage > _HANDLERS:
            reader.refuse(errors.HandlerPlaceError(), first)
        self._stage = _HANDLERS
        for item in triggers:
            if not self._new("handler", f"{item.kind} {item.name}"):
                reader.refuse(errors.DuplicateHandlerError(name=item.name or item.kind), first)
        if reader.key == "DECLARE":
            reader.wrong("BEGIN", "a statement")
        return Handler(leaves, tuple(triggers), self._statement(), reader.tokens[first].start)

    def _trigger(self) -> Trigger:
        reader = self._reader
        if reader.phrase("NOT", "FOUND"):
            return Trigger("NOT FOUND")
        if reader.key == "SQLEXCEPTION":
            return Trigger(reader.next().key)
        if reader.key == "SQLSTATE":
            return Trigger("SQLSTATE", sqlstate(reader))
        return Trigger("CONDITION", ".".join(reader.path("a condition").parts).upper())


def sqlstate(reader: ScriptReader) -> str:
    """Parses SQLSTATE [VALUE] 'state'; returns the state in capitals. Raises InvalidSqlStateError."""
    reader.expect("SQLSTATE")
    reader.take("VALUE")
    first, state = reader.at, reader.string().upper()
    if not _SQLSTATE.fullmatch(state):
        reader.refuse(errors.InvalidSqlStateError(state=state), first)
    return state


def refuse_declaration(reader: ScriptReader) -> None:
    """Raises VariableScopeError for a DECLARE that is next, where declarations are not allowed."""
    first = reader.at
    if reader.take("DECLARE"):
        reader.refuse(
            errors.VariableScopeError(name=reader.tokens[reader.at].text if reader.left else "DECLARE"), first
        )


def _cursor_follows(reader: ScriptReader) -> bool:
    """Whether the name that is next is that of a cursor: `x CURSOR`, `x INSENSITIVE CURSOR`."""
    return reader.peek(1) == "CURSOR" or (
        reader.peek(1) in {"ASENSITIVE", "INSENSITIVE"} and reader.peek(2) == "CURSOR"
    )


_ROW_STATEMENTS = frozenset({"UPDATE", "DELETE", "MERGE", "INSERT"})
_AFTER_TARGET = frozenset({"SET", "WHERE", "USING", "VALUES", "SELECT"})


@dataclass(slots=True)
class Variable:
    """One variable. `spark_name` is its current name in Spark: its own, or a generated one. `default` is for SET."""

    name: str
    spark_name: str
    default: SqlText | None = None

    @property
    def sql(self) -> str:
        return f"session.{quote(self.spark_name)}"


@dataclass(slots=True)
class ScriptCursor:
    """A cursor, open while it has `rows`; `at` is the index of the next one."""

    name: str
    query: SqlText
    rows: ResultRows | None = None
    at: int = 0


@dataclass(slots=True, eq=False)
class VariableScope:
    """The declarations of a block or of the rows of a FOR, by key in capitals. `handling`: one of its handlers runs."""

    label: str
    variables: dict[str, Variable] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    cursors: dict[str, ScriptCursor] = field(default_factory=dict)
    handlers: list[Handler] = field(default_factory=list)
    handling: bool = False


Scopes = Sequence[VariableScope]
"""From the outermost to the innermost."""


def visible(scopes: Scopes, key: str) -> Variable | None:
    """The variable that a name refers to; None for one of the session's."""
    return next((scope.variables[key] for scope in reversed(scopes) if key in scope.variables), None)


class Variables:
    """The variables by their current names in Spark."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._owners: dict[str, Variable] = {}
        self._of_session: dict[str, Variable] = {}
        self._free: set[str] = set()

    def declare(self, scope: VariableScope, names: Iterable[str], declare: Callable[[str], Any]) -> list[Variable]:
        """Creates variables of `scope`; `declare` declares those of the names that it gets, which are SQL."""
        variables = {name.upper(): Variable(name, name) for name in names}
        if not any(self._taken(key, variable.name) for key, variable in variables.items()):
            declare(", ".join(quote(variable.name) for variable in variables.values()))
        else:
            self._declare_beside(variables, declare)
        self._owners |= variables
        scope.variables |= variables
        return list(variables.values())

    def _declare_beside(self, variables: dict[str, Variable], declare: Callable[[str], Any]) -> None:
        """Creates variables whose names are taken: their values may be computed from the variables they hide."""
        spark_names = {key: _generated_name() for key in variables}
        declare(", ".join(map(quote, spark_names.values())))
        for key, variable in variables.items():
            owner = self._owners.get(key)
            if owner is not None:
                self._hide(owner)
            variable.spark_name = spark_names[key]
            self._show(variable)

    def leave(self, scope: VariableScope, around: Scopes) -> None:
        """Drops the variables of a block, and restores those that they have hidden."""
        for key, variable in scope.variables.items():
            self._host.command(f"DROP TEMPORARY VARIABLE IF EXISTS {quote(variable.spark_name)}")
            if self._owners.get(key) is variable:
                del self._owners[key]
        scope.variables.clear()
        self.show(around)

    def show(self, scopes: Scopes) -> None:
        """Renames variables in Spark, so that each name refers to its variable in `scopes`."""
        hidden_keys = {variable.name.upper() for scope in scopes for variable in scope.variables.values()}
        for key in {*self._owners, *self._of_session, *hidden_keys}:
            shown = visible(scopes, key) or self._of_session.get(key)
            owner = self._owners.get(key)
            if owner is shown:
                continue
            if owner is not None:
                self._hide(owner)
            if shown is not None:
                self._show(shown)

    def named(self, scopes: Scopes, path: ColumnPath) -> str:
        """The variable that a path refers to, as SQL."""
        variable = self._find(scopes, path.parts)
        return str(path) if variable is None else variable.sql

    def called(self, scopes: Scopes, path: ColumnPath) -> Variable | None:
        """The variable that a path refers to in a statement that `replacements` has changed; None for an unknown one.

        Behind `session` stands the name in Spark there.
        """
        *qualifiers, name = (part.upper() for part in path.parts)
        if not qualifiers:
            return visible(scopes, name)
        known = [item for scope in scopes for item in scope.variables.values()]
        return next((item for item in (*known, *self._of_session.values()) if item.spark_name.upper() == name), None)

    def replacements(self, scopes: Scopes, piece: SqlText) -> Iterator[Replacement]:
        """Replacements of names with a label, or `session`, in a piece of the script by names in Spark."""
        labels = {scope.label for scope in scopes if scope.variables} - {""}
        if not (labels or self._of_session):
            return
        tokens = piece.tokens
        labels -= _relations(piece.text, tokens)
        for index, token, name in _qualified(tokens):
            key = token.name.upper()
            first = _first(tokens, index, key == "SESSION")
            variable = self._find(scopes, (key, name.name)) if key in {*labels, "SESSION"} else None
            if first is not None and variable is not None:
                yield first.start, name.end, variable.sql

    def user_name(self, scopes: Scopes, name: str) -> str:
        """The user's name for a column whose name is that of a variable in Spark."""
        variables = (item for scope in scopes for item in scope.variables.values())
        return next((item.name for item in (*variables, *self._of_session.values()) if item.spark_name == name), name)

    def forget(self) -> None:
        """Called after a statement that may have created variables of the session."""
        self._free.clear()

    def default(self, scopes: Scopes, path: ColumnPath) -> str | None:
        """The SQL of a variable's default; None for one of the session's, which Spark knows."""
        variable = self._find(scopes, path.parts)
        if variable is None or variable in self._of_session.values():
            return None
        return f"({variable.default.text})" if variable.default else "NULL"

    def _find(self, scopes: Scopes, parts: tuple[str, ...]) -> Variable | None:
        *qualifiers, name = (part.upper() for part in parts)
        if not qualifiers:
            return visible(scopes, name)
        if qualifiers in (["SESSION"], ["SYSTEM", "SESSION"]):
            return self._of_session.get(name)
        owners = (scope for scope in reversed(scopes) if scope.label == qualifiers[-1] and len(qualifiers) == 1)
        return next((scope.variables[name] for scope in owners if name in scope.variables), None)

    def _taken(self, key: str, name: str) -> bool:
        """Whether a variable of this name exists in Spark: of a block around, or of the session."""
        if key in self._owners:
            return True
        if key not in self._free and self._host.has_variable(name):
            self._of_session[key] = self._owners[key] = Variable(name, name)
            return True
        self._free.add(key)
        return False

    def _hide(self, variable: Variable) -> None:
        spark_name = _generated_name()
        self._host.command(f"DECLARE OR REPLACE VARIABLE {quote(spark_name)} = {variable.sql}")
        self._host.command(f"DROP TEMPORARY VARIABLE {quote(variable.name)}")
        variable.spark_name = spark_name
        del self._owners[variable.name.upper()]

    def _show(self, variable: Variable) -> None:
        name, spark_name = quote(variable.name), quote(variable.spark_name)
        self._host.command(f"DECLARE OR REPLACE VARIABLE {name} = {variable.sql}")
        self._host.command(f"DROP TEMPORARY VARIABLE {spark_name}")
        variable.spark_name = variable.name
        self._owners[variable.name.upper()] = variable


def _generated_name() -> str:
    return hidden(f"variable_{uuid4().hex}")


def _qualified(tokens: Sequence[Token]) -> Iterator[tuple[int, Token, Token]]:
    """The names that are followed by a dot and another name, each with its index."""
    for index, (token, dot, name) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        if token.is_name and dot.key == "." and name.is_name:
            yield index, token, name


def _first(tokens: Sequence[Token], index: int, is_session: bool) -> Token | None:
    """The first token of a variable whose qualifier is at `index`; None where that is part of a longer name."""
    if not index or tokens[index - 1].key != ".":
        return tokens[index]
    of_system = is_session and index > 1 and tokens[index - 2].key == "SYSTEM"
    return tokens[index - 2] if of_system else None


def _relations(text: str, tokens: Sequence[Token]) -> set[str]:
    """The names, in capitals, by which columns may be qualified: tables and aliases. They come before labels."""
    names = {(reference.alias or reference.parts[-1]).upper() for reference in table_references(text)}
    if tokens and tokens[0].key in _ROW_STATEMENTS:
        head = takewhile(lambda token: token.key not in _AFTER_TARGET, tokens)
        names |= {token.name.upper() for token in head if token.is_name}
    behind = TokenCursor(tokens)
    while behind.left:
        if behind.next().key == ")":
            behind.take("AS")
            names |= {behind.next().name.upper()} if behind.is_name else set()
    return names
