"""The declarations at the beginning of BEGIN … END: variables, conditions, cursors, handlers, in that order."""

from __future__ import annotations

import re
from collections.abc import Callable

from deltasql.base.errors.script import (
    ConditionPlaceError,
    CursorExistsError,
    CursorPlaceError,
    DuplicateConditionError,
    DuplicateHandlerError,
    DuplicateTriggerError,
    DuplicateVariableError,
    HandlerCombinationError,
    HandlerPlaceError,
    InvalidSqlStateError,
    QualifiedVariableError,
    ReplacedVariableError,
    VariableExistsError,
    VariablePlaceError,
    VariableScopeError,
)
from deltasql.plan.base import SqlText
from deltasql.session.script.reader import ScriptReader, listed
from deltasql.session.script.tree import (
    Declaration,
    DeclareCondition,
    DeclareCursor,
    DeclareVariables,
    Handler,
    Statement,
    Trigger,
)

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
                reader.refuse(QualifiedVariableError(name=str(path)), first)
            if path.parts[0].upper() in map(str.upper, names):
                reader.refuse(DuplicateVariableError(name=path.parts[0]), first)
            names.append(path.parts[0])

        listed(reader, name)
        if replaces:
            reader.refuse(ReplacedVariableError(name=names[0]), first)
        if self._stage > _NAMES:
            reader.refuse(VariablePlaceError(name=names[0]), first)
        for declared in names:
            if not self._new("variable", declared):
                reader.refuse(VariableExistsError(name=declared), first)
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
            reader.refuse(ConditionPlaceError(name=name), first)
        if not self._new("condition", name):
            reader.refuse(DuplicateConditionError(name=name), first)
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
            reader.refuse(CursorPlaceError(name=name), first)
        self._stage = _CURSORS
        if not self._new("cursor", name):
            reader.refuse(CursorExistsError(name=name), first)
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
                reader.refuse(DuplicateTriggerError(name=item.name or item.kind), first)
            triggers.append(item)

        listed(reader, trigger)
        if len(triggers) > 1 and any(item.kind in {"SQLEXCEPTION", "NOT FOUND"} for item in triggers):
            reader.refuse(HandlerCombinationError(), first)
        if self._stage > _HANDLERS:
            reader.refuse(HandlerPlaceError(), first)
        self._stage = _HANDLERS
        for item in triggers:
            if not self._new("handler", f"{item.kind} {item.name}"):
                reader.refuse(DuplicateHandlerError(name=item.name or item.kind), first)
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
        reader.refuse(InvalidSqlStateError(state=state), first)
    return state


def refuse_declaration(reader: ScriptReader) -> None:
    """Raises VariableScopeError for a DECLARE that is next, where declarations are not allowed."""
    first = reader.at
    if reader.take("DECLARE"):
        reader.refuse(VariableScopeError(name=reader.tokens[reader.at].text if reader.left else "DECLARE"), first)


def _cursor_follows(reader: ScriptReader) -> bool:
    """Whether the name that is next is that of a cursor: `x CURSOR`, `x INSENSITIVE CURSOR`."""
    return reader.peek(1) == "CURSOR" or (
        reader.peek(1) in {"ASENSITIVE", "INSENSITIVE"} and reader.peek(2) == "CURSOR"
    )
