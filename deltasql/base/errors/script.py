"""Errors of scripts: BEGIN … END, with variables, conditions, cursors, control flow. Source: Spark's conditions."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING",
    "42K0M",
    "The variable {name} is declared too late. Variables come first in BEGIN … END, before cursors, handlers and "
    "statements; BEGIN … END inside may declare its own.",
    remedy="Move the declaration to the beginning of the block, or into an inner BEGIN … END.",
)
class VariablePlaceError(DeltaSqlError):
    """DECLARE behind a statement."""

    name: str


@condition(
    "INVALID_VARIABLE_DECLARATION.NOT_ALLOWED_IN_SCOPE",
    "42K0M",
    "{name} cannot be declared here: only BEGIN … END has declarations. Put BEGIN … END around these statements.",
)
class VariableScopeError(DeltaSqlError):
    """DECLARE in an IF or a loop."""

    name: str


@condition(
    "INVALID_VARIABLE_DECLARATION.QUALIFIED_LOCAL_VARIABLE",
    "42K0M",
    "The variable {name} is declared with a qualifier. Write its name alone; the label of BEGIN … END qualifies it.",
)
class QualifiedVariableError(DeltaSqlError):
    """DECLARE a.b INT in a script."""

    name: str


@condition(
    "INVALID_VARIABLE_DECLARATION.REPLACE_LOCAL_VARIABLE",
    "42K0M",
    "The variable {name} of a script cannot be replaced. Write DECLARE without OR REPLACE, or SET {name} = ….",
)
class ReplacedVariableError(DeltaSqlError):
    """DECLARE OR REPLACE in a script."""

    name: str


@condition(
    "DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE",
    "42734",
    "{name} stands more than once in one DECLARE. Remove one of them.",
)
class DuplicateVariableError(DeltaSqlError):
    """A declaration that names one variable twice: DECLARE a, a INT."""

    name: str


@condition(
    "VARIABLE_ALREADY_EXISTS",
    "42723",
    "This BEGIN … END has a variable {name} already. Choose another name, or SET it.",
)
class VariableExistsError(DeltaSqlError):
    """Two declarations of one name in a block."""

    name: str


@condition(
    "UNSUPPORTED_FEATURE.SQL_SCRIPTING_DROP_TEMPORARY_VARIABLE",
    "0A000",
    "A script cannot drop variables. Those that it declares end with their BEGIN … END; drop one of the session's "
    "outside.",
)
class DropVariableError(DeltaSqlError):
    """DROP TEMPORARY VARIABLE in a script."""


@condition(
    "INVALID_ERROR_CONDITION_DECLARATION.NOT_AT_START_OF_COMPOUND_STATEMENT",
    "42K0R",
    "The condition {name} is declared too late. Conditions come first in BEGIN … END, before cursors, handlers and "
    "statements.",
    remedy="Move the declaration to the beginning of the block.",
)
class ConditionPlaceError(DeltaSqlError):
    """DECLARE … CONDITION behind a statement."""

    name: str


@condition(
    "DUPLICATE_CONDITION_IN_SCOPE", "42734", "This BEGIN … END has a condition {name} already. Remove one of them."
)
class DuplicateConditionError(DeltaSqlError):
    """Two conditions of one name in a block."""

    name: str


@condition(
    "INVALID_SQLSTATE",
    "428B3",
    "'{state}' is no SQLSTATE. Write five characters, A-Z and 0-9, that do not begin with 00, 01 or XX.",
)
class InvalidSqlStateError(DeltaSqlError):
    """An SQLSTATE that is not five letters or digits: SQLSTATE '123'."""

    state: str


@condition(
    "INVALID_CURSOR_DECLARATION",
    "42601",
    "The cursor {name} is declared too late. Cursors come behind variables and conditions, before handlers and "
    "statements.",
    remedy="Move the declaration behind those of variables and conditions.",
)
class CursorPlaceError(DeltaSqlError):
    """DECLARE … CURSOR behind a statement."""

    name: str


@condition("CURSOR_ALREADY_EXISTS", "42723", "This BEGIN … END has a cursor {name} already. Choose another name.")
class CursorExistsError(DeltaSqlError):
    """Two cursors of one name in a block."""

    name: str


@condition("CURSOR_NOT_FOUND", "42883", "There is no cursor {name} here. Declare it: DECLARE {name} CURSOR FOR query.")
class CursorNotFoundError(DeltaSqlError):
    """OPEN, FETCH or CLOSE of an unknown cursor."""

    name: str


@condition("CURSOR_NOT_OPEN", "24501", "The cursor {name} is not open. Run OPEN {name} first.")
class CursorNotOpenError(DeltaSqlError):
    """FETCH or CLOSE before OPEN."""

    name: str


@condition("CURSOR_ALREADY_OPEN", "24502", "The cursor {name} is open already. Run CLOSE {name} first.")
class CursorOpenError(DeltaSqlError):
    """OPEN of an open cursor."""

    name: str


@condition(
    "CURSOR_NO_MORE_ROWS",
    "02000",
    "The cursor {name} has no more rows.",
    remedy="End the loop with a handler: DECLARE EXIT HANDLER FOR NOT FOUND.",
)
class NoMoreRowsError(DeltaSqlError):
    """FETCH behind the last row. It is ignored where no handler takes it."""

    name: str


@condition(
    "INVALID_HANDLER_DECLARATION.WRONG_PLACE_OF_DECLARATION",
    "42K0Q",
    "The handler is declared too late. Handlers come behind all other declarations, before the statements.",
    remedy="Move the handler behind the other declarations, before the first statement.",
)
class HandlerPlaceError(DeltaSqlError):
    """DECLARE … HANDLER behind a statement."""


@condition(
    "INVALID_HANDLER_DECLARATION.INVALID_CONDITION_COMBINATION",
    "42K0Q",
    "SQLEXCEPTION and NOT FOUND take no other condition beside them. Declare a separate handler for the others.",
)
class HandlerCombinationError(DeltaSqlError):
    """HANDLER FOR SQLEXCEPTION, a."""


@condition(
    "INVALID_HANDLER_DECLARATION.DUPLICATE_CONDITION_IN_HANDLER_DECLARATION",
    "42K0Q",
    "{name} stands more than once in one handler. Remove one of them.",
)
class DuplicateTriggerError(DeltaSqlError):
    """A handler that names one condition twice: HANDLER FOR a, a."""

    name: str


@condition(
    "DUPLICATE_EXCEPTION_HANDLER.CONDITION",
    "42734",
    "This BEGIN … END has a handler for {name} already.",
    remedy="Remove one of the handlers, or merge them.",
)
class DuplicateHandlerError(DeltaSqlError):
    """Two handlers for one condition in a block."""

    name: str


@condition(
    "INVALID_LABEL_USAGE.DOES_NOT_EXIST",
    "42K0L",
    "{statement} {label}: no BEGIN … END or loop around it has that label.",
    remedy="Name the label of a block or loop that encloses the statement.",
)
class LabelNotFoundError(DeltaSqlError):
    """LEAVE or ITERATE of an unknown label."""

    statement: str
    label: str


@condition(
    "INVALID_LABEL_USAGE.ITERATE_IN_COMPOUND",
    "42K0L",
    "ITERATE {label}: {label} is the label of BEGIN … END, which does not repeat. Name a loop, or write LEAVE.",
)
class IterateBlockError(DeltaSqlError):
    """ITERATE with the label of a block, which is no loop."""

    label: str


@condition("LABELS_MISMATCH", "42K0L", "{end} ends what begins with the label {begin}. Write {begin} in both places.")
class LabelsMismatchError(DeltaSqlError):
    """A block whose two labels differ: a: BEGIN … END b."""

    begin: str
    end: str


@condition(
    "END_LABEL_WITHOUT_BEGIN_LABEL",
    "42K0L",
    "{label} stands behind END, and no label before the beginning: {label}: ….",
    remedy="Write the label in front as well: a: BEGIN … END a.",
)
class EndLabelError(DeltaSqlError):
    """A label behind END alone: BEGIN … END a."""

    label: str


@condition(
    "LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS",
    "42K0L",
    "A label or FOR variable around it is called {label}, too. Choose another.",
)
class LabelExistsError(DeltaSqlError):
    """A label inside a block or loop with the same label."""

    label: str


@condition(
    "LABEL_OR_FOR_VARIABLE_NAME_FORBIDDEN",
    "42K0L",
    "No label may be called {label}, as variables of Spark are.",
    remedy="Choose another label.",
)
class LabelForbiddenError(DeltaSqlError):
    """A label with a reserved name: session: BEGIN."""

    label: str


@condition(
    "INVALID_BOOLEAN_STATEMENT",
    "22546",
    "A condition is TRUE, FALSE or a BOOLEAN that is NULL, and {expression} is {found}.",
    remedy="Write a comparison, such as n > 0.",
)
class NotBooleanError(DeltaSqlError):
    """A condition of IF or WHILE that is no BOOLEAN: IF 1 THEN."""

    expression: str
    found: str


@condition(
    "RESIGNAL_WHEN_HANDLER_NOT_ACTIVE",
    "0K000",
    "{statement} stands in a handler, and tells of the condition that it handles.",
    remedy="Move the statement into a handler.",
)
class NoHandlerActiveError(DeltaSqlError):
    """RESIGNAL or GET DIAGNOSTICS outside of a handler."""

    statement: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "A script has no two phases: each of its statements commits before the next one is read. Run it by session.sql.",
)
class ScriptPhasesError(DeltaSqlError):
    """Session.begin of a script."""


class SignalledError(DeltaSqlError):
    """Raised by SIGNAL: the condition, SQLSTATE and text that the script gives it, and its arguments."""

    def __init__(self, name: str, sqlstate: str, text: str, arguments: Mapping[str, str] | None = None) -> None:
        super().__init__(name, sqlstate, text)
        # They differ from error to error, so they live on the instance.
        self.condition = name  # type: ignore[misc]
        self.sqlstate = sqlstate  # type: ignore[misc]
        self.text = text
        self.arguments = dict(arguments or {})

    @property
    def message(self) -> str:
        return self.text
