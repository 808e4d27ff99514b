"""Parses the text of a script. Source: Spark's grammar of compound statements, and the Databricks reference."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from deltasql.base import GAP, Caret, DeltaSqlError, Token, errors, not_closed
from deltasql.plan import ColumnPath, LogicalPlan, SqlText
from deltasql.session.script.declarations import Declarations, ScriptReader, listed, refuse_declaration, sqlstate
from deltasql.session.script.tree import (
    CloseCursor,
    FetchCursor,
    For,
    GetDiagnostics,
    Jump,
    Loop,
    OpenCursor,
    Resignal,
    ScriptBlock,
    ScriptBranch,
    ScriptChoice,
    SetVariables,
    Signal,
    Sql,
    Statement,
)
from deltasql.sql import BoundStatement, bind_identifiers, bind_versions, block_end, parse
from deltasql.statements import Query

_ITEMS = ("MESSAGE_TEXT", "RETURNED_SQLSTATE", "MESSAGE_ARGUMENTS", "CONDITION_IDENTIFIER", "LINE_NUMBER")
_OF_SESSION = frozenset({"SESSION", "SYSTEM"})
_NO_VARIABLE = frozenset({"TIME", "CATALOG", "ROLE", "RECIPIENT", "PATH"})

_DROPS_VARIABLE = re.compile(rf"DROP{GAP}+(?:TEMPORARY{GAP}+|TEMP{GAP}+)?VARIABLE\b", re.IGNORECASE)

_T = TypeVar("_T")


def parse_script(script: str, start: int = 0) -> ScriptBlock:
    """The tree of a script, which may end with `;`. Its statements are parsed as well, and none of them runs.

    The script of a procedure begins at the offset `start` of `script`, the text of CREATE PROCEDURE. Raises
    ParseSyntaxError and the errors of deltasql.base.errors, each with its caret in `script`.
    """
    return _Parser(script, start).script()


class _Parser:
    def __init__(self, script: str, start: int) -> None:
        self.reader = ScriptReader(script, start)
        self.qualifiers: list[str] = []
        """Labels and FOR variables around the cursor, in capitals."""
        self.rules: dict[str, Callable[[], Statement]] = {
            "IF": self.choice,
            "CASE": self.case,
            "LEAVE": self.jump,
            "ITERATE": self.jump,
            "SIGNAL": self.signal,
            "RESIGNAL": self.resignal,
            "GET": self.diagnostics,
            "OPEN": self.open_cursor,
            "FETCH": self.fetch,
            "CLOSE": self.close,
            "SET": self.assignment,
        }
        self.labelled: dict[str, Callable[[Token | None], Statement]] = {
            "BEGIN": self.block,
            "WHILE": self.loop_while,
            "REPEAT": self.repeat,
            "LOOP": self.loop,
            "FOR": self.loop_for,
        }

    def script(self) -> ScriptBlock:
        label = self.label()
        block = self.block(label)
        while self.reader.take(";"):
            pass
        if self.reader.left:
            self.reader.wrong("the end of the script")
        return block

    # Statements

    def statements(self, *ends: str) -> tuple[Statement, ...]:
        """Statements, each with its `;`, up to one of the words `ends`."""
        statements: list[Statement] = []
        while self.reader.key not in ends:
            refuse_declaration(self.reader)
            statements.append(self.statement())
            self.reader.expect(";")
        return tuple(statements)

    def statement(self) -> Statement:
        reader = self.reader
        if not reader.left or reader.key == ";":
            reader.wrong("a statement", "END")
        label = self.label()
        if reader.key in self.labelled:
            return self.labelled[reader.key](label)
        rule = self.rules.get(reader.key)
        return self.sql() if rule is None else rule()

    def label(self) -> Token | None:
        """Parses the label that is next, with its colon; None without one."""
        reader = self.reader
        if not (reader.is_name and reader.peek(1) == ":" and reader.peek(2) in self.labelled):
            return None
        label = reader.next()
        reader.expect(":")
        return label

    def end(self, kind: str, label: Token | None) -> None:
        """Parses END, its kind and the label, which must be the one at the beginning."""
        reader = self.reader
        reader.expect("END")
        if kind:
            reader.expect(kind)
        first = reader.at
        if not reader.is_name:
            return
        name = reader.next().name
        if label is None:
            reader.refuse(errors.EndLabelError(label=name), first)
        if name.upper() != label.name.upper():
            reader.refuse(errors.LabelsMismatchError(begin=label.name, end=name), first)

    def sql(self) -> Sql:
        """Parses a statement of SQL. One that creates a procedure has semicolons in it."""
        end = block_end(self.reader.script, self.reader.offset) if self.reader.key == "CREATE" else None
        text = self.reader.statement_text() if end is None else self.reader.text_before(end)
        if _DROPS_VARIABLE.match(text.text):
            raise errors.DropVariableError().at(Caret(self.reader.script, text.start, text.end))
        self.check(text)
        return Sql(text)

    def check(self, text: SqlText) -> LogicalPlan:
        """The node of a statement. Raises its syntax errors."""
        bound = BoundStatement(text.text)
        try:
            # What variables will say is not known before it runs.
            bound = bind_versions(bind_identifiers(bound, lambda _: "name"), lambda _: 0)
            return parse(bound.sql)
        except DeltaSqlError as error:
            if error.caret is not None:
                start, end = map(bound.to_original, (error.caret.start, error.caret.end))
                error.caret = Caret(self.reader.script, text.start + start, text.start + end)
            raise

    def check_query(self, text: SqlText) -> None:
        """Raises the syntax errors of a query, and ParseSyntaxError for another statement."""
        if not isinstance(self.check(text), Query):
            reason = "FOR and cursors read the rows of a query: SELECT, VALUES, TABLE, FROM or WITH."
            raise errors.ParseSyntaxError(reason).at(Caret(self.reader.script, text.start, text.end))

    def assignment(self) -> Statement:
        """SET of variables; SET of anything else is a statement of SQL."""
        reader, first = self.reader, self.reader.at
        reader.expect("SET")
        named = reader.key in {"VAR", "VARIABLE"} and (reader.is_name_at(1) or reader.peek(1) == "(")
        reader.at += named
        if not named and not self.sets_variable():
            reader.at = first
            return self.sql()
        begin = reader.at
        targets: list[ColumnPath] = []
        defaults: list[tuple[int, int, ColumnPath]] = []
        if reader.take("("):
            listed(reader, lambda: targets.append(reader.path("a variable")))
            reader.expect(")")
            reader.expect("=")
            reader.statement_text()
        else:
            listed(reader, lambda: self.one_assignment(targets, defaults))
        text = reader.text(begin, reader.at)
        self.check(SqlText(f"SET VARIABLE {text.text}", text.start - len("SET VARIABLE ")))
        return SetVariables(text, tuple(targets), tuple(defaults))

    def sets_variable(self) -> bool:
        """Whether the name behind SET is a variable: a name alone, or with a label, `session` or a FOR variable."""
        reader = self.reader
        if reader.key == "(":
            return True
        if reader.key in _NO_VARIABLE and reader.peek(1) != "=":
            return False
        first = reader.at
        path = reader.path("a variable")
        follows, reader.at = reader.key, first
        qualifier = path.parts[0].upper()
        return follows == "=" and (len(path.parts) == 1 or qualifier in _OF_SESSION or qualifier in self.qualifiers)

    def one_assignment(self, targets: list[ColumnPath], defaults: list[tuple[int, int, ColumnPath]]) -> None:
        reader = self.reader
        target = reader.path("a variable")
        targets.append(target)
        reader.expect("=")
        begin = reader.at
        while reader.left and reader.key not in {",", ";"}:
            opening = reader.tokens[reader.at]
            reader.group()
            if reader.at > len(reader.tokens):
                not_closed(reader.script, opening.start, opening.text)
        if reader.at == begin:
            reader.wrong("an expression")
        if reader.at == begin + 1 and reader.tokens[begin].key == "DEFAULT":
            defaults.append((reader.tokens[begin].start, reader.tokens[begin].end, target))

    # Control flow

    def block(self, label: Token | None) -> ScriptBlock:
        reader, first = self.reader, self.reader.at
        reader.expect("BEGIN")
        if reader.key in {"ATOMIC", "TRANSACTION", "WORK"}:
            self.check(SqlText(reader.script[reader.tokens[first].start :], reader.tokens[first].start))
        reader.phrase("NOT", "ATOMIC")
        with reader.labelled(label, loop=False):
            return self.qualified(label and label.name, lambda: self.contents(label))

    def contents(self, label: Token | None) -> ScriptBlock:
        reader = self.reader
        declarations, body = Declarations(reader, self.statement, self.check_query), list[Statement]()
        while reader.key != "END":
            if reader.key == "DECLARE":
                declarations.read()
            else:
                declarations.end()
                body.append(self.statement())
            reader.expect(";")
        self.end("", label)
        return ScriptBlock(label and label.name, tuple(declarations.parsed), tuple(body))

    def qualified(self, name: str | None, read: Callable[[], _T]) -> _T:
        """The result of `read`, during which `name` qualifies variables."""
        self.qualifiers.append((name or "").upper())
        try:
            return read()
        finally:
            self.qualifiers.pop()

    def choice(self) -> ScriptChoice:
        reader = self.reader
        reader.expect("IF")
        branches = [self.branch()]
        while reader.take("ELSEIF"):
            branches.append(self.branch())
        otherwise = self.statements("END") if reader.take("ELSE") else ()
        self.end("IF", None)
        return ScriptChoice(None, tuple(branches), otherwise)

    def branch(self, *ends: str) -> ScriptBranch:
        condition = self.reader.until("a condition", "THEN")
        self.reader.expect("THEN")
        return ScriptBranch(condition, self.statements(*(ends or ("ELSEIF", "ELSE", "END"))))

    def case(self) -> ScriptChoice:
        reader = self.reader
        reader.expect("CASE")
        subject = None if reader.key == "WHEN" else reader.until("an expression", "WHEN")
        branches: list[ScriptBranch] = []
        while reader.take("WHEN"):
            branches.append(self.branch("WHEN", "ELSE", "END"))
        otherwise = self.statements("END") if reader.take("ELSE") else ()
        self.end("CASE", None)
        return ScriptChoice(subject, tuple(branches), otherwise)

    def loop_while(self, label: Token | None) -> Loop:
        reader = self.reader
        reader.expect("WHILE")
        with reader.labelled(label, loop=True):
            condition = reader.until("a condition", "DO")
            reader.expect("DO")
            body = self.statements("END")
        self.end("WHILE", label)
        return Loop(label and label.name, condition, body, None)

    def repeat(self, label: Token | None) -> Loop:
        reader = self.reader
        reader.expect("REPEAT")
        with reader.labelled(label, loop=True):
            body = self.statements("UNTIL")
            reader.expect("UNTIL")
            condition = reader.until("a condition", "END")
        self.end("REPEAT", label)
        return Loop(label and label.name, None, body, condition)

    def loop(self, label: Token | None) -> Loop:
        reader = self.reader
        reader.expect("LOOP")
        with reader.labelled(label, loop=True):
            body = self.statements("END")
        self.end("LOOP", label)
        return Loop(label and label.name, None, body, None)

    def loop_for(self, label: Token | None) -> For:
        reader = self.reader
        reader.expect("FOR")
        variable = reader.next() if reader.is_name and reader.peek(1) == "AS" else None
        if variable is not None:
            reader.expect("AS")
        with reader.labelled(label, loop=True):
            query = reader.until("a query", "DO")
            self.check_query(query)
            reader.expect("DO")
            with reader.labelled(variable, loop=False):
                body = self.qualified(variable and variable.name, lambda: self.statements("END"))
        self.end("FOR", label)
        return For(label and label.name, variable and variable.name, query, body)

    def jump(self) -> Jump:
        reader, first = self.reader, self.reader.at
        statement = reader.next().key
        label = reader.word("a label")
        loops = reader.labels.get(label.upper())
        if loops is None:
            reader.refuse(errors.LabelNotFoundError(statement=statement, label=label), first)
        if statement == "ITERATE" and not loops:
            reader.refuse(errors.IterateBlockError(label=label), first)
        return Jump(label, statement == "ITERATE")

    # Conditions

    def signal(self) -> Signal:
        reader, start = self.reader, self.reader.offset
        reader.expect("SIGNAL")
        has_state = reader.key == "SQLSTATE" and (reader.peek(1) == "VALUE" or reader.peek(1) == "")
        state = sqlstate(reader) if has_state else None
        condition = None if has_state else ".".join(reader.path("a condition").parts)
        signal = Signal(condition, state, None, None, start)
        if not reader.take("SET"):
            return signal
        item = reader.expect("MESSAGE_TEXT") if has_state else reader.expect("MESSAGE_TEXT", "MESSAGE_ARGUMENTS")
        reader.expect("=")
        value = reader.statement_text()
        if not value.text:
            reader.wrong("an expression")
        return replace(signal, message=value) if item == "MESSAGE_TEXT" else replace(signal, arguments=value)

    def resignal(self) -> Resignal:
        start = self.reader.offset
        self.reader.expect("RESIGNAL")
        return Resignal(start)

    def diagnostics(self) -> GetDiagnostics:
        reader, start = self.reader, self.reader.offset
        reader.expect("GET")
        reader.take("STACKED", "CURRENT")
        reader.expect("DIAGNOSTICS")
        reader.take("EXCEPTION") or reader.expect("CONDITION")
        reader.expect("1")
        items: list[tuple[ColumnPath, str]] = []

        def item() -> None:
            variable = reader.path("a variable")
            reader.expect("=")
            items.append((variable, reader.expect(*_ITEMS)))

        listed(reader, item)
        return GetDiagnostics(tuple(items), start)

    # Cursors

    def open_cursor(self) -> OpenCursor:
        reader = self.reader
        reader.expect("OPEN")
        cursor = reader.path("the name of a cursor")
        values = None
        if reader.take("USING"):
            values = reader.statement_text()
            if not values.text:
                reader.wrong("a value")
        return OpenCursor(cursor, values)

    def fetch(self) -> FetchCursor:
        reader = self.reader
        reader.expect("FETCH")
        reader.phrase("NEXT", "FROM") or reader.take("FROM")
        cursor = reader.path("the name of a cursor")
        reader.expect("INTO")
        variables: list[ColumnPath] = []
        listed(reader, lambda: variables.append(reader.path("a variable")))
        return FetchCursor(cursor, tuple(variables))

    def close(self) -> CloseCursor:
        self.reader.expect("CLOSE")
        return CloseCursor(self.reader.path("the name of a cursor"))
