"""Errors of statements given as text."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE",
    "42K09",
    "EXECUTE IMMEDIATE wants a text, and {expression} is {found}. Write a string, or a variable of type STRING.",
)
class ImmediateTextError(DeltaSqlError):
    """EXECUTE IMMEDIATE of a number, or of NULL."""

    expression: str
    found: str


@condition(
    "INVALID_STATEMENT_FOR_EXECUTE_INTO",
    "07501",
    "EXECUTE IMMEDIATE … INTO takes the row of a query, and {statement} is none. Leave out INTO.",
)
class ImmediateIntoError(DeltaSqlError):
    """EXECUTE IMMEDIATE of a command, INTO variables."""

    statement: str


@condition(
    "ALL_PARAMETERS_MUST_BE_NAMED",
    "07001",
    "Some values behind USING have a name and {value} has none. Write {value} AS name, as in the text's :name.",
)
class UnnamedParameterError(DeltaSqlError):
    """EXECUTE IMMEDIATE … USING with and without names: USING 1 AS a, 2."""

    value: str


@condition(
    "EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES",
    "42701",
    "Two values behind USING are called {name}. Give each a different name.",
)
class DuplicateAliasError(DeltaSqlError):
    """EXECUTE IMMEDIATE … USING with one name twice: USING 1 AS a, 2 AS a."""

    name: str


@condition(
    "NESTED_EXECUTE_IMMEDIATE",
    "07501",
    "EXECUTE IMMEDIATE runs a text that runs a text, {depth} deep. Run the innermost one.",
)
class NestedImmediateError(DeltaSqlError):
    """EXECUTE IMMEDIATE of itself."""

    depth: int


@condition(
    "SQL_SCRIPT_IN_EXECUTE_IMMEDIATE",
    "07501",
    "The text of EXECUTE IMMEDIATE is one statement, and no script. Put EXECUTE IMMEDIATE into BEGIN … END instead.",
)
class ScriptInImmediateError(DeltaSqlError):
    """EXECUTE IMMEDIATE 'BEGIN … END'."""


@condition(
    "NULL_QUERY_STRING_EXECUTE_IMMEDIATE",
    "22004",
    "EXECUTE IMMEDIATE wants a text, and {expression} is NULL.",
    remedy="Give the text of a statement.",
)
class NullImmediateError(DeltaSqlError):
    """EXECUTE IMMEDIATE of a variable that is NULL."""

    expression: str


@condition(
    "UNBOUND_SQL_PARAMETER",
    "42P02",
    "The parameter {name} of the text has no value. Write it behind the text: USING value, or USING value AS name.",
)
class ImmediateParameterError(DeltaSqlError):
    """EXECUTE IMMEDIATE 'SELECT ?' without USING."""

    name: str
