"""Runs the tree of a script: each statement through the session, errors to their handlers, names to their variables.

Parts of a script become statements, with offsets mapped back to the script, and with its parameters. Source of handlers
and diagnostics: Spark's handlers, Databricks' GET DIAGNOSTICS.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import fields, is_dataclass, replace
from functools import singledispatchmethod
from typing import Any

from deltasql.base import Caret, DeltaSqlError, check, errors, next_step, pa, shielded
from deltasql.files import Result
from deltasql.plan import ColumnPath, SqlText
from deltasql.planner import CallArgument, ProcedureCall
from deltasql.schema import BOOLEAN, StructType, quote_name, quote_text, sql_text, type_text
from deltasql.session.script import tree
from deltasql.session.script.declarations import Scopes, ScriptCursor, Variable, Variables, VariableScope
from deltasql.session.script.parsing import parse_script
from deltasql.session.script.tree import (
    Declaration,
    Handler,
    Host,
    ResultRows,
    RunningScript,
    ScriptBlock,
    SparkVariable,
    Statement,
    Trigger,
)
from deltasql.sql import BoundStatement, Replacement

_NO_EXCEPTION = frozenset({"00", "01", "02", "XX"})
"""Classes of SQLSTATE that SQLEXCEPTION does not take: success, warnings, no data, and internal errors."""
_OF_SESSION: tuple[list[str], ...] = ([], ["SESSION"], ["SYSTEM", "SESSION"])
USER_RAISED = "USER_RAISED_EXCEPTION"
_USER_RAISED_STATE, _UNKNOWN_STATE = "P0001", "45000"


def is_completion(error: DeltaSqlError) -> bool:
    """Whether `error` is ignored where no handler takes it."""
    return error.sqlstate.startswith("02")


def handler_of(scopes: Scopes, error: DeltaSqlError) -> tuple[int, Handler] | None:
    """The handler for an error, with the index of its scope: the innermost one, and there the most specific."""
    for index in reversed(range(len(scopes))):
        scope = scopes[index]
        if scope.handling:
            continue
        for trigger in _triggers(error):
            for handler in scope.handlers:
                if trigger in handler.triggers:
                    return index, handler
    return None


def _triggers(error: DeltaSqlError) -> Iterator[Trigger]:
    """The triggers of handlers that take the error, the most specific first."""
    name, state = error.condition.upper(), error.sqlstate.upper()
    yield Trigger("CONDITION", name)
    if "." in name:
        yield Trigger("CONDITION", name.partition(".")[0])
    yield Trigger("SQLSTATE", state)
    if state[:2] == "02":
        yield Trigger("NOT FOUND")
    if state[:2] not in _NO_EXCEPTION:
        yield Trigger("SQLEXCEPTION")


def signalled(
    scopes: Scopes, name: str | None, state: str | None, text: str | None, arguments: Mapping[str, str] | None
) -> errors.SignalledError:
    """The error of SIGNAL: a condition of the script or of deltasql by its name, or an SQLSTATE."""
    if name is None:
        return errors.SignalledError(USER_RAISED, state or _UNKNOWN_STATE, text or f"SQLSTATE {state} was raised.")
    key, parameters = name.upper(), dict(arguments or {})
    declared = next((scope.conditions[key] for scope in reversed(scopes) if key in scope.conditions), None)
    message = _default_message(name, parameters) if text is None else text
    if declared is not None:
        return errors.SignalledError(key, declared, message, parameters or {"MESSAGE_TEXT": message})
    return errors.SignalledError(key, _state(key), message, parameters)


def _state(name: str) -> str:
    """The SQLSTATE of a condition of deltasql, or of Spark's one for users; 45000 for an unknown one."""
    if name == USER_RAISED:
        return _USER_RAISED_STATE
    error_class = next((cls for cls in _classes(DeltaSqlError) if cls.condition == name), None)
    return error_class.sqlstate if error_class else _UNKNOWN_STATE


def _default_message(name: str, arguments: Mapping[str, str]) -> str:
    """The message of a condition that is raised without a text."""
    if "errorMessage" in arguments:
        return arguments["errorMessage"]
    return ", ".join(f"{item}: {value}" for item, value in arguments.items()) or f"The condition {name} was raised."


def _classes(root: type[DeltaSqlError]) -> Iterator[type[DeltaSqlError]]:
    for cls in root.__subclasses__():
        yield cls
        yield from _classes(cls)


def diagnostic(error: DeltaSqlError, item: str, script: str) -> str:
    """The SQL of one item of GET DIAGNOSTICS."""
    match item:
        case "MESSAGE_TEXT":
            return quote_text(error.message)
        case "RETURNED_SQLSTATE":
            return quote_text(error.sqlstate)
        case "CONDITION_IDENTIFIER":
            return quote_text(error.condition)
        case "LINE_NUMBER":
            caret = error.caret
            return f"{caret.line}L" if caret is not None and caret.sql == script else "CAST(NULL AS BIGINT)"
        case _:
            pairs = (quote_text(text) for pair in _arguments(error).items() for text in pair)
            return f"CAST(map({', '.join(pairs)}) AS MAP<STRING, STRING>)"


def _arguments(error: DeltaSqlError) -> Mapping[str, str]:
    if isinstance(error, errors.SignalledError):
        return error.arguments
    if not is_dataclass(error):
        return {}
    return {item.name: str(getattr(error, item.name)) for item in fields(error)}


_PLACED = (tree.DeclareVariables, tree.DeclareCursor, tree.Signal, tree.Resignal, tree.GetDiagnostics)
_FIRST_LINE = re.compile(r"[^;\n]*")
_CONSTANTS = {"TRUE": True, "FALSE": False}


def run_script(script: BoundStatement, host: Host) -> Result:
    """The rows of the last query of a script, or none. Raises the error that no handler takes, placed in the script."""
    block = parse_script(script.sql)
    with ExitStack() as locks:
        return _Interpreter(script, host, locks).run(block)


MOST_CALLS = 64
"""Nested calls of procedures. Source: Databricks, CALL."""
_FRAMES_OF_CALL = 200
"""Frames of Python that one call takes at most, apart from blocks and loops that are nested deeply."""


def run_procedure(call: ProcedureCall, host_of: Callable[[BoundStatement], Host]) -> Result:
    """The rows of the last query of a procedure, or none. Variables of the caller get the values of OUT parameters.

    `host_of` makes the host of a text, for its errors. Raises CallDepthError, OutArgumentError, and the error that no
    handler of the procedure takes, placed in the text of CREATE PROCEDURE.
    """
    script = BoundStatement(call.text)
    outside, inside = host_of(call.statement), host_of(script)
    caller = outside.running[-1] if outside.running else None
    if sum(bool(item.procedure) for item in outside.running) >= MOST_CALLS:
        raise errors.CallDepthError(call.name, MOST_CALLS)
    targets = [_target(call, item, caller, outside) for item in call.arguments if item.variable is not None]
    with ExitStack() as locks:
        values = _argument_values(call, outside)
        callee = _Interpreter(script, inside, locks, call.name)
        with _deeper(), nullcontext() if caller is None else caller.aside(), outside.within(call.namespace):
            results = callee.call(call, values)
        if targets:
            outside.assign([target.sql for target in targets], results)
    return callee.result or Result.of()


@contextmanager
def _deeper() -> Iterator[None]:
    """Context: frames of Python for one more call."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + _FRAMES_OF_CALL)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _target(call: ProcedureCall, argument: CallArgument, caller: RunningScript | None, host: Host) -> SparkVariable:
    """The variable that an OUT or INOUT parameter writes. Raises OutArgumentError."""
    path, parameter = argument.variable, argument.parameter
    assert path is not None
    found = None if caller is None else caller.variable(path)
    if found is not None:
        return found
    *qualifiers, name = path.parts
    if [part.upper() for part in qualifiers] not in _OF_SESSION or not host.has_variable(name):
        error = errors.OutArgumentError(call.name, parameter.name, parameter.mode, str(path), parameter.type.upper())
        raise error.at(Caret(call.statement.sql, path.start, path.end))
    return Variable(name, name)


def _argument_values(call: ProcedureCall, host: Host) -> ResultRows | None:
    """The values of the parameters that have one at the beginning; None where none has."""
    pieces: list[str | SqlText] = []
    for argument in _valued(call):
        # A line break ends a comment of the user's.
        value = argument.value or f"({argument.parameter.default}\n)"
        pieces += [", CAST(" if pieces else "SELECT CAST(", value, f"\n AS {argument.parameter.type})"]
        pieces.append(f" AS {quote_name(argument.parameter.name)}")
    return host.rows(joined(call.statement, pieces)) if pieces else None


def _valued(call: ProcedureCall) -> list[CallArgument]:
    """The arguments whose parameter has a value at the beginning: all but those that are only written."""
    return [item for item in call.arguments if item.parameter.mode != "OUT" or item.variable is None]


class _Jumped(Exception):  # noqa: N818 - it is no error
    """LEAVE and ITERATE on their way to their label, or an EXIT handler to the block that declares it."""

    def __init__(self, target: str | VariableScope, *, again: bool = False) -> None:
        super().__init__(target)
        self.target, self.again = target, again

    def leads_to(self, *targets: str | VariableScope | None) -> bool:
        return any(target is not None and self.target == target for target in targets)


class _Interpreter:
    def __init__(self, script: BoundStatement, host: Host, locks: ExitStack, procedure: str = "") -> None:
        self.script, self.host, self.locks, self.procedure = script, host, locks, procedure
        self.variables = Variables(host)
        self.scopes: tuple[VariableScope, ...] = ()
        self.result: Result | None = None
        self.handled: list[DeltaSqlError] = []
        self._unhandled: DeltaSqlError | None = None
        self._has_lock = False

    def run(self, block: ScriptBlock) -> Result:
        self.host.running.append(self)
        try:
            self.execute(block)
        finally:
            self.host.running.pop()
        return self.result or Result.of()

    def call(self, call: ProcedureCall, values: ResultRows | None) -> ResultRows:
        """Runs a procedure with the values of its parameters; the values of those that are written, at the end."""
        block = parse_script(self.script.sql, call.start)
        scope = VariableScope(call.name.rsplit(".", 1)[-1].strip("`").upper())
        self.scopes = (scope,)
        try:
            for argument in call.arguments:
                self.lock()
                self.declare_column(scope, argument.parameter.name, argument.parameter.type)
            variables = [scope.variables[item.parameter.name.upper()] for item in call.arguments]
            valued = _valued(call)
            if values is not None:
                pairs = zip(call.arguments, variables, strict=True)
                self.host.assign([variable.sql for item, variable in pairs if item in valued], values)
            self.run(block)
            written = zip(call.arguments, variables, strict=True)
            columns = [variable.sql for item, variable in written if item.variable is not None]
            if not columns:
                return ResultRows(StructType(), pa.table({}))
            return self.host.rows(joined(self.script, [f"SELECT {', '.join(columns)}"]))
        except DeltaSqlError as error:
            if error.caret is not None and error.caret.sql == self.script.sql:
                error.caret = replace(error.caret, owner=f"PROCEDURE {self.procedure}")
            raise
        finally:
            self.leave(scope, ())

    @contextmanager
    def aside(self) -> Iterator[None]:
        """See RunningScript."""
        scopes = self.scopes
        self.see(())
        try:
            yield
        finally:
            self.see(scopes)

    def variable(self, name: ColumnPath) -> SparkVariable | None:
        """See RunningScript."""
        return self.variables.called(self.scopes, name)

    def execute(self, item: Statement | Declaration) -> None:
        """Runs a statement, and the handler for its error. Raises the error where there is none."""
        check()
        try:
            self.do(item)
        except DeltaSqlError as error:
            if error is self._unhandled:
                raise
            self.handle(error.at(self.caret(item)))

    def caret(self, item: Statement | Declaration) -> Caret | None:
        """The first line of a statement, for errors that know no place in it."""
        if isinstance(item, (tree.Sql, tree.SetVariables)):
            start = item.text.start
        elif isinstance(item, _PLACED):
            start = item.start
        else:
            return None
        line = _FIRST_LINE.match(self.script.sql, start)
        return Caret(self.script.sql, start, line.end() if line else start + 1)

    def handle(self, error: DeltaSqlError) -> None:
        handler_and_scope = handler_of(self.scopes, error)
        if handler_and_scope is None:
            if is_completion(error):
                return
            self._unhandled = error
            raise error
        index, handler = handler_and_scope
        saved, scope = self.scopes, self.scopes[index]
        scope.handling = True
        self.handled.append(error)
        try:
            self.see(saved[: index + 1])
            self.execute(handler.body)
        finally:
            scope.handling = False
            self.handled.pop()
            self.see(saved)
        if handler.leaves:
            raise _Jumped(scope)

    def see(self, scopes: tuple[VariableScope, ...]) -> None:
        """Lets names mean what they mean in these scopes."""
        self.scopes = scopes
        with shielded():
            self.variables.show(scopes)

    def part(self, *pieces: str | SqlText) -> BoundStatement:
        """A statement of these pieces, with variables that are called by a label under the names they have in Spark."""
        return joined(self.script, pieces, lambda piece: self.variables.replacements(self.scopes, piece))

    def body(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            self.execute(statement)

    # Statements

    @singledispatchmethod
    def do(self, item: object) -> None:
        raise TypeError(f"no way to run {type(item).__name__}")

    @do.register
    def _(self, item: tree.Sql) -> None:
        self.run_sql(self.part(item.text))
        if item.text.text[:7].upper() == "EXECUTE":
            self.variables.forget()

    def run_sql(self, part: BoundStatement) -> None:
        # What an earlier statement has committed must not keep Ctrl-C from this one.
        next_step()
        ran = self.host.run(part, lambda name: self.variables.user_name(self.scopes, name))
        if ran.is_query:
            self.result = ran.result

    @do.register
    def _(self, item: tree.SetVariables) -> None:
        edits = [(path.start, path.end, self.variables.named(self.scopes, path)) for path in item.targets]
        for start, end, target in item.defaults:
            default = self.variables.default(self.scopes, target)
            edits += [(start, end, default)] if default is not None else []
        spans = [(start - item.text.start, end - item.text.start, text) for start, end, text in edits]

        def replaced(piece: SqlText) -> list[tuple[int, int, str]]:
            taken = {start for start, _, _ in spans}
            others = self.variables.replacements(self.scopes, piece)
            return [*spans, *(edit for edit in others if edit[0] not in taken)]

        self.run_sql(joined(self.script, ("SET VARIABLE ", item.text), replaced))

    @do.register
    def _(self, item: tree.ScriptBlock) -> None:
        around, scope = self.scopes, VariableScope((item.label or "").upper())
        scope.handlers += [declared for declared in item.declarations if isinstance(declared, tree.Handler)]
        self.scopes = (*around, scope)
        try:
            for declaration in item.declarations:
                self.execute(declaration)
            self.body(item.body)
        except _Jumped as jump:
            if not jump.leads_to(scope, scope.label or None):
                raise
        finally:
            self.leave(scope, around)

    def leave(self, scope: VariableScope, around: tuple[VariableScope, ...]) -> None:
        self.scopes = around
        with shielded():
            if scope.variables:
                self.variables.leave(scope, around)

    @do.register
    def _(self, item: tree.DeclareVariables) -> None:
        self.lock()
        scope = self.scopes[-1]
        variables = self.variables.declare(
            scope,
            item.names,
            lambda names: self.run_sql(self.part("DECLARE OR REPLACE VARIABLE ", names, " ", item.rest)),
        )
        for variable in variables:
            variable.default = item.default

    def lock(self) -> None:
        """Keeps the variables of other scripts out of the engine's session."""
        if not self._has_lock:
            self.locks.enter_context(self.host.variables_lock())
            self._has_lock = True

    @do.register
    def _(self, item: tree.DeclareCondition) -> None:
        self.scopes[-1].conditions[item.name.upper()] = item.sqlstate

    @do.register
    def _(self, item: tree.DeclareCursor) -> None:
        self.scopes[-1].cursors[item.name.upper()] = ScriptCursor(item.name, item.query)

    @do.register
    def _(self, item: tree.Handler) -> None:
        """The block has taken it up already."""

    # Control flow

    @do.register
    def _(self, item: tree.ScriptChoice) -> None:
        for branch in item.branches:
            if self.is_true(branch.condition, item.subject):
                self.body(branch.body)
                return
        self.body(item.otherwise)

    def is_true(self, condition: SqlText, subject: SqlText | None = None) -> bool:
        """Whether a condition is TRUE, or equals the subject of a CASE. Raises NotBooleanError."""
        constant = _CONSTANTS.get(condition.text.upper())
        if constant is not None and subject is None:
            return constant
        pieces = ("(", condition, ")") if subject is None else ("((", subject, ") = (", condition, "))")
        with self.placed(condition):
            result = self.host.run(self.part("SELECT ", *pieces)).result
            kind = result.schema.fields[0].type
            if kind != BOOLEAN:
                raise errors.NotBooleanError(expression=condition.text, found=type_text(kind).upper())
            return bool(result.collect()[0][0])

    @contextmanager
    def placed(self, at: SqlText | ColumnPath) -> Iterator[None]:
        """Places errors that know no place at a part of the script."""
        try:
            yield
        except DeltaSqlError as error:
            error.at(Caret(self.script.sql, at.start, at.end))
            raise

    @do.register
    def _(self, item: tree.Loop) -> None:
        label = item.label and item.label.upper()
        while item.before is None or self.is_true(item.before):
            check()
            if self.leaves(item.body, label):
                return
            if item.until is not None and self.is_true(item.until):
                return

    def leaves(self, body: tuple[Statement, ...], label: str | None) -> bool:
        """Runs the body of a loop once; whether it leaves the loop."""
        try:
            self.body(body)
        except _Jumped as jump:
            if not jump.leads_to(label):
                raise
            return not jump.again
        return False

    @do.register
    def _(self, item: tree.For) -> None:
        next_step()
        rows = self.host.rows(self.part(item.query))
        names = rows.schema.names
        twice = next((name for index, name in enumerate(names) if name.upper() in map(str.upper, names[:index])), None)
        if twice is not None:
            raise errors.VariableExistsError(name=twice).at(Caret(self.script.sql, item.query.start, item.query.end))
        self.lock()
        around, scope = self.scopes, VariableScope((item.variable or "").upper())
        self.scopes = (*around, scope)
        try:
            for index in range(rows.table.num_rows):
                check()
                for field in rows.schema if not index else ():
                    self.declare_column(scope, field.name, sql_text(field.type))
                targets = [scope.variables[name.upper()].sql for name in names]
                self.host.assign(targets, rows.row(index))
                if self.leaves(item.body, item.label and item.label.upper()):
                    break
        finally:
            self.leave(scope, around)

    def declare_column(self, scope: VariableScope, name: str, data_type: str) -> None:
        declare = "DECLARE OR REPLACE VARIABLE"
        self.variables.declare(scope, [name], lambda names: self.host.command(f"{declare} {names} {data_type}"))

    @do.register
    def _(self, item: tree.Jump) -> None:
        raise _Jumped(item.label.upper(), again=item.again)

    # Conditions

    @do.register
    def _(self, item: tree.Signal) -> None:
        text = None if item.message is None else self.value(item.message)
        arguments: Any = None if item.arguments is None else self.value(item.arguments)
        message = None if text is None else str(text)
        raise signalled(self.scopes, item.condition, item.sqlstate, message, arguments).at(self.caret(item))

    def value(self, expression: SqlText) -> object:
        """The value of an expression."""
        return self.host.run(self.part("SELECT (", expression, ")")).result.collect()[0][0]

    @do.register
    def _(self, item: tree.Resignal) -> None:
        raise self.handled_by("RESIGNAL", item)

    @do.register
    def _(self, item: tree.GetDiagnostics) -> None:
        error = self.handled_by("GET DIAGNOSTICS", item)
        for variable, expression in item.items:
            target = self.variables.named(self.scopes, variable)
            self.host.command(f"SET VARIABLE {target} = {diagnostic(error, expression, self.script.sql)}")

    def handled_by(self, statement: str, item: tree.Resignal | tree.GetDiagnostics) -> DeltaSqlError:
        if not self.handled:
            raise errors.NoHandlerActiveError(statement=statement).at(self.caret(item))
        return self.handled[-1]

    # Cursors

    @do.register
    def _(self, item: tree.OpenCursor) -> None:
        cursor = self.cursor(item.cursor)
        if cursor.rows is not None:
            raise errors.CursorOpenError(name=cursor.name).at(self.at(item.cursor))
        next_step()
        part = self.part(cursor.query)
        if item.values is not None:
            part = self.part(f"EXECUTE IMMEDIATE {quote_text(part.sql)} USING ", item.values)
        cursor.rows, cursor.at = self.host.rows(part), 0

    @do.register
    def _(self, item: tree.FetchCursor) -> None:
        cursor = self.cursor(item.cursor)
        rows = self.opened(cursor, item.cursor)
        if cursor.at >= rows.table.num_rows:
            raise errors.NoMoreRowsError(name=cursor.name).at(self.at(item.cursor))
        targets = [self.variables.named(self.scopes, variable) for variable in item.variables]
        with self.placed(item.cursor):
            self.host.assign(targets, rows.row(cursor.at))
        cursor.at += 1

    @do.register
    def _(self, item: tree.CloseCursor) -> None:
        cursor = self.cursor(item.cursor)
        self.opened(cursor, item.cursor)
        cursor.rows = None

    def opened(self, cursor: ScriptCursor, name: ColumnPath) -> ResultRows:
        if cursor.rows is None:
            raise errors.CursorNotOpenError(name=cursor.name).at(self.at(name))
        return cursor.rows

    def cursor(self, name: ColumnPath) -> ScriptCursor:
        """The cursor of a name, which may have the label of its block. Raises CursorNotFoundError."""
        *label, key = (part.upper() for part in name.parts)
        for scope in reversed(self.scopes):
            if key in scope.cursors and label in ([], [scope.label]):
                return scope.cursors[key]
        raise errors.CursorNotFoundError(name=str(name)).at(self.at(name))

    def at(self, name: ColumnPath) -> Caret:
        return Caret(self.script.sql, name.start, name.end)


def joined(
    script: BoundStatement,
    pieces: Iterable[str | SqlText],
    replacements: Callable[[SqlText], Iterable[Replacement]] = lambda piece: (),
) -> BoundStatement:
    """The statement that the pieces make: parts of `script`, and text of ours between them.

    `replacements` are spans in the text of a piece, each with what stands there instead. Offsets of the statement lead
    back to those in the script.
    """
    part = _Joined(script)
    for piece in pieces:
        if isinstance(piece, str):
            part.add(piece)
        else:
            part.add_piece(piece, replacements(piece))
    return BoundStatement(part.text, tuple(part.shifts), tuple(part.values))


class _Joined:
    def __init__(self, script: BoundStatement) -> None:
        self.script = script
        self.text = ""
        self.shifts: list[tuple[int, int]] = []
        self.values = list(script.values[:0])
        self._shift = 0

    def add(self, text: str) -> None:
        self.text += text

    def add_piece(self, piece: SqlText, replacements: Iterable[Replacement]) -> None:
        at = 0
        for start, end, text in sorted(replacements):
            self._verbatim(piece, at, start)
            self.add(text)
            at = end
        self._verbatim(piece, at, len(piece.text))

    def _verbatim(self, piece: SqlText, start: int, end: int) -> None:
        """Adds text of the script as it stands, with the values of parameters in it."""
        shift = len(self.text) - (piece.start + start)
        self.shifts.append((len(self.text), shift - self._shift))
        self._shift = shift
        for value in self.script.values:
            if piece.start + start <= value.start and value.end <= piece.start + end:
                self.values.append(replace(value, start=value.start + shift, end=value.end + shift))
        self.add(piece.text[start:end])
