"""Errors of the text itself: syntax errors, and types that no table can have."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "PARSE_SYNTAX_ERROR",
    "42601",
    "{reason}",
    remedy="Correct the text at the caret; the statements' reference has the syntax.",
)
class ParseSyntaxError(DeltaSqlError):
    """The text is no statement. `found` is the text at the caret, `expected` what could stand there, readable."""

    reason: str
    found: str = ""
    expected: tuple[str, ...] = ()


@condition(
    "INVALID_IDENTIFIER",
    "42602",
    "The name {name} needs back-ticks: without them a name has letters without accents, digits and _ only.",
    remedy="Write `{name}`.",
)
class InvalidIdentifierError(DeltaSqlError):
    """A name with characters beyond ASCII that is not in back-ticks."""

    name: str


@condition(
    "FAILED_TO_PARSE_TOO_COMPLEX",
    "54001",
    "The statement, or a type or value that it meets, is nested too deeply. Types may be nested 100 deep. Divide the "
    "statement into simpler ones, and write a long list of keys as k IN (1, 2, …).",
    remedy="Divide the statement into simpler ones, and write a long list of keys as `k IN (1, 2, …)`.",
)
class TooComplexError(DeltaSqlError):
    """A statement, a type or a value that is nested too deeply."""


@condition(
    "NOT_A_CONSTANT_STRING.NOT_CONSTANT",
    "42601",
    "IDENTIFIER needs a constant text, and {expression} is none: it may look at no column, at no query and at nothing "
    "random. Write IDENTIFIER('name'), a parameter, or a session variable.",
)
class NameNotConstantError(DeltaSqlError):
    """IDENTIFIER(…) of an expression that has no value before the statement runs."""

    expression: str


@condition(
    "NOT_A_CONSTANT_STRING.WRONG_TYPE",
    "42601",
    "IDENTIFIER needs a text, and {expression} is of type {type}.",
    remedy="Cast the value: CAST(… AS STRING).",
)
class NameOfWrongTypeError(DeltaSqlError):
    """IDENTIFIER(…) of a value that is no text."""

    expression: str
    type: str


@condition(
    "NOT_A_CONSTANT_STRING.NULL",
    "42601",
    "IDENTIFIER needs a text, and {expression} is NULL.",
    remedy="Give the parameter or variable a value.",
)
class NullNameError(DeltaSqlError):
    """IDENTIFIER(…) of NULL."""

    expression: str


@condition(
    "PARSE_EMPTY_STATEMENT",
    "42617",
    "The statement is empty: there is nothing to run.",
    remedy="Write a statement before the semicolon.",
)
class EmptyStatementError(DeltaSqlError):
    """A text without a statement."""


@condition(
    "UNSUPPORTED_DATATYPE",
    "0A000",
    "The data type {type} is not supported.",
    remedy="Use a type that the message lists.",
)
class UnsupportedDatatypeError(DeltaSqlError):
    """A column, or a cast, of a type that the dialect does not have.

    `supported` are the types that there are; `meant` is the one that `type` means elsewhere, or resembles.
    """

    type: str
    supported: tuple[str, ...]
    meant: str = ""

    @property
    def message(self) -> str:
        advice = f"Did you mean {self.meant}?" if self.meant else f"Use one of: {', '.join(self.supported)}."
        return f"The data type {self.type} is not supported. {advice}"


@condition(
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
    "22003",
    "{type} is out of range: the precision must be 1 to 38, and the scale 0 to the precision.",
    remedy="Choose a precision of 1 to 38, and a scale up to the precision.",
)
class DecimalPrecisionError(DeltaSqlError):
    """DECIMAL with a precision or scale out of range."""

    type: str


@condition("DATATYPE_MISSING_SIZE", "42K01", "{type} needs a length. Write {type}(n) or STRING.")
class DatatypeMissingSizeError(DeltaSqlError):
    """CHAR or VARCHAR without a length."""

    type: str


@condition("DUPLICATE_KEY", "23505", "The key {key} stands more than once in one list. Remove one of them.")
class DuplicateKeyError(DeltaSqlError):
    """A list of properties or options gives one key twice. Spark compares keys as they are written."""

    key: str


@condition("DUPLICATE_CLAUSES", "42614", "{clause} stands more than once in the same place. Remove one of them.")
class DuplicateClausesError(DeltaSqlError):
    """A clause of CREATE TABLE, or an option, that is written twice."""

    clause: str


@condition(
    "COLLATION_INVALID_NAME",
    "42704",
    "There is no collation {collation}.{hint} SHOW COLLATIONS lists them.",
    remedy="Correct the name; SHOW COLLATIONS lists them all.",
)
class CollationNameError(DeltaSqlError):
    """COLLATE, or DEFAULT COLLATION, with a name that Spark does not have."""

    collation: str
    hint: str = ""


@condition(
    "UNSUPPORTED_DATATYPE",
    "0A000",
    "COLLATE is for the type STRING, and {type} is another one. Leave COLLATE out, or write STRING.",
)
class CollatedTypeError(DeltaSqlError):
    """COLLATE behind a number, or behind CHAR(n) and VARCHAR(n)."""

    type: str


@condition(
    "UNSUPPORTED_FEATURE.COLLATIONS_IN_MAP_KEYS",
    "0A000",
    "Keys of a map compare byte by byte, and cannot be {type}. Write MAP<STRING, …>; values may have a collation.",
)
class CollatedKeyError(DeltaSqlError):
    """A map whose keys are texts with a collation, or have some inside."""

    type: str
