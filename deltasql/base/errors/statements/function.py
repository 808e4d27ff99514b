"""Errors of functions."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Functions are made of SQL or Python, and {function} is of {language}. {advice}",
    remedy="Write the function in SQL: CREATE FUNCTION f(x INT) RETURN x + 1.",
)
class ForeignFunctionError(DeltaSqlError):
    """CREATE FUNCTION … LANGUAGE SCALA, or AS 'class'."""

    function: str
    language: str
    advice: str


@condition(
    "ROUTINE_ALREADY_EXISTS",
    "42723",
    "There is a function {function} already. Write CREATE OR REPLACE FUNCTION, or CREATE FUNCTION IF NOT EXISTS.",
)
class FunctionAlreadyExistsError(DeltaSqlError):
    """CREATE FUNCTION of a name that is taken."""

    function: str


@condition(
    "ROUTINE_NOT_FOUND",
    "42883",
    "There is no function {function}. {advice}",
    remedy="Check the spelling with SHOW USER FUNCTIONS.",
)
class FunctionNotFoundError(DeltaSqlError):
    """DROP FUNCTION of an unknown name."""

    function: str
    advice: str


@condition(
    "UNRESOLVED_ROUTINE",
    "42883",
    "There is no function {function}. SHOW FUNCTIONS lists all of them.",
    remedy="Check the spelling with SHOW FUNCTIONS.",
)
class UnknownFunctionError(DeltaSqlError):
    """DESCRIBE FUNCTION of an unknown name."""

    function: str


@condition(
    "FORBIDDEN_OPERATION",
    "42809",
    "{function} is a function of Spark's own, and stays. {advice}",
    remedy="Choose another name for a new function.",
)
class DropSparksFunctionError(DeltaSqlError):
    """DROP FUNCTION of a function of Spark, such as abs."""

    function: str
    advice: str


@condition(
    "CYCLIC_FUNCTION_REFERENCE",
    "42887",
    "A function would call itself: {cycle}. Loops are written WITH RECURSIVE.",
    remedy="Write the loop as a query: WITH RECURSIVE.",
)
class RecursiveFunctionError(DeltaSqlError):
    """A function whose text calls it, in itself or in the functions that it calls."""

    cycle: str


@condition(
    "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE",
    "42000",
    "OR REPLACE and IF NOT EXISTS say two things about a function that is there. Leave one of them out.",
)
class FunctionModeError(DeltaSqlError):
    """CREATE OR REPLACE FUNCTION IF NOT EXISTS."""


@condition(
    "INVALID_TEMP_OBJ_QUALIFIER",
    "42602",
    "A temporary function belongs to no schema: its name has one part. Write {advice}.",
)
class TemporaryFunctionNameError(DeltaSqlError):
    """CREATE TEMPORARY FUNCTION s.f."""

    function: str
    advice: str


@condition(
    "INVALID_SQL_SYNTAX.PYTHON_FUNCTION",
    "42000",
    "The function {function} of Python cannot be created: {reason}. {advice}",
    remedy="Write CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return x + 1 $$.",
)
class PythonClauseError(DeltaSqlError):
    """CREATE FUNCTION … LANGUAGE PYTHON without its code, RETURNS or HANDLER, or with a wrong ENVIRONMENT."""

    function: str
    reason: str
    advice: str


@condition(
    "PYTHON_FUNCTION_SYNTAX",
    "42601",
    "The code of the function {function} is no Python, at its line {line}: {reason}.",
    remedy="Correct the line of the code that the message names.",
)
class PythonSyntaxError(DeltaSqlError):
    """CREATE FUNCTION … LANGUAGE PYTHON with a syntax error in its code. The code is compiled and does not run."""

    function: str
    line: int
    reason: str


@condition(
    "PYTHON_FUNCTION_RESULT",
    "38000",
    "A function of Python returned a value that is none of the type in its RETURNS: {reason}",
    remedy="Correct the code: docs/functions.md lists the type in Python for each type in SQL.",
)
class PythonResultError(DeltaSqlError):
    """A function of Python returned a value of another type, or beyond the type's range."""

    reason: str


@condition(
    "PYTHON_FUNCTION_HANDLER",
    "42K09",
    "HANDLER of the function {function} is wrong: {reason}.",
    remedy="Name a function of the code; for RETURNS TABLE a class with a method eval.",
)
class PythonHandlerError(DeltaSqlError):
    """HANDLER names nothing that the code of a function defines, or something of the wrong kind."""

    function: str
    reason: str


@condition(
    "PYTHON_FUNCTION_DEPENDENCIES",
    "42K0Z",
    "The function {function} needs packages that are not installed: {packages}. Run: pip install {command}",
    remedy="Install the packages in the environment of deltasql, and of Spark's workers.",
)
class PythonPackagesError(DeltaSqlError):
    """ENVIRONMENT (dependencies = …) names packages that this environment lacks, or has in another version."""

    function: str
    packages: tuple[str, ...]
    command: str


@condition(
    "PYTHON_FUNCTION_FAILED",
    "38000",
    "The function {function} of Python failed at line {line} of its code: {reason}",
    remedy="Correct the code, or the arguments: NULL arrives as None.",
)
class PythonFunctionFailedError(DeltaSqlError):
    """The code of a function of Python raised an exception while a statement called it."""

    function: str
    line: int
    reason: str
