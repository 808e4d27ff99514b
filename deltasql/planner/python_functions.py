"""Functions of Python: what is checked when one is created, and the function of SQL by which queries call it.

The code never runs here.
"""

from __future__ import annotations

import json
import re

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.statements.function import (
    PythonClauseError,
    PythonHandlerError,
    PythonPackagesError,
    PythonSyntaxError,
)
from deltasql.base.lazy import metadata
from deltasql.plan.base import SqlText, hidden_view, quote
from deltasql.plan.operators import Operator, PythonFunction
from deltasql.planner.context import Context
from deltasql.sql.functions.allowed import compiled, handler_problem, is_python_name
from deltasql.sql.parser import parse_type
from deltasql.sql.stored_expressions import FunctionText, Parameter, PythonText
from deltasql.sql.tokens import tokenize

_PACKAGE = re.compile(r"\s*(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:==\s*(?P<version>[\w.+!-]+))?")
_ENVIRONMENT = frozenset({"dependencies", "environment_version"})


def callable_text(name: str, parsed: FunctionText) -> tuple[str, dict[str, Operator]]:
    """The text of a function of SQL that calls one of Python, whose hidden name is in the relations.

    The function of SQL casts arguments, and has the defaults of parameters.
    """
    assert parsed.python is not None
    hidden = hidden_view()
    arguments = ", ".join(quote(parameter.name) for parameter in parsed.parameters)
    written = ", ".join(_parameter(parameter) for parameter in parsed.parameters)
    call = f"{quote(hidden)}({arguments})"
    if parsed.columns is not None:
        returns = ", ".join(f"{quote(column.name)} {column.type}" for column in parsed.columns)
        text = f"({written}) RETURNS TABLE ({returns}) RETURN SELECT * FROM {call}"
    else:
        returns = parsed.returns or ""
        text = f"({written}) RETURNS {returns} RETURN {call}"
    names = tuple(parameter.name for parameter in parsed.parameters)
    function = PythonFunction(
        name,
        parsed.python.code,
        parsed.python.handler,
        names,
        returns,
        parsed.is_table,
        "NOT DETERMINISTIC" not in parsed.clauses,
    )
    return text, {hidden: function}


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" DEFAULT {parameter.default}"
    return f"{quote(parameter.name)} {parameter.type}{default}"


def check_python(name: str, text: SqlText, parsed: FunctionText, context: Context) -> None:
    """Raises PythonClauseError, PythonSyntaxError, PythonHandlerError, PythonPackagesError, and what is wrong with a
    type. Nothing of the code runs."""
    python = _required_code(name, parsed)
    columns = (*parsed.parameters, *(parsed.columns or ()))
    for written in (*(item.type for item in columns), *([parsed.returns] if parsed.returns is not None else ())):
        _check_type(written)
    for item in parsed.parameters:
        if python.handler is None and not is_python_name(item.name):
            reason = f"its parameter {item.name} is no name of Python"
            raise PythonClauseError(name, reason, "Choose another name.")
    _check_code(name, text, parsed, python, context)
    _check_environment(name, python)


def _required_code(name: str, parsed: FunctionText) -> PythonText:
    """The code. Raises PythonClauseError for a clause that is missing."""
    if parsed.python is None:
        raise PythonClauseError(name, "it has no code", "Write AS $$ … $$ at the end.")
    if parsed.returns is None and not parsed.columns:
        raise PythonClauseError(name, "it does not say what it returns", "Write RETURNS type, or RETURNS TABLE (…).")
    if parsed.is_table and parsed.python.handler is None:
        raise PythonClauseError(name, "it does not name its class", "Write HANDLER 'class' behind LANGUAGE PYTHON.")
    return parsed.python


def _check_type(written: str) -> None:
    """Raises what is wrong with the text of a type; the place in it is none of the statement."""
    try:
        parse_type(written)
    except DeltaSqlError as error:
        error.caret = None
        raise


def _check_code(name: str, text: SqlText, parsed: FunctionText, python: PythonText, context: Context) -> None:
    code, handler = python.code, python.handler
    try:
        compiled(code, handler, [parameter.name for parameter in parsed.parameters], name)
        problem = "" if handler is None else handler_problem(code, handler, name, is_table=parsed.is_table)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise PythonSyntaxError(name, line, reason).at(_line_caret(text, line, context)) from None
    if problem:
        raise PythonHandlerError(name, problem)


def _line_caret(text: SqlText, line: int, context: Context) -> Caret | None:
    """The place of a line of the code between `$$`."""
    bodies = [token for token in tokenize(text.text) if token.kind == "dollars"]
    if not bodies:
        return None
    start = text.start + bodies[-1].start + 2
    lines = bodies[-1].text[2:-2].split("\n")
    line = min(line, len(lines))
    start += sum(len(before) + 1 for before in lines[: line - 1])
    shown = lines[line - 1]
    start += len(shown) - len(shown.lstrip())
    return context.caret(start, start + max(1, len(shown.strip())))


def _check_environment(name: str, python: PythonText) -> None:
    """The packages of ENVIRONMENT must be installed, in their versions. Raises PythonPackagesError."""
    environment = dict(python.environment)
    unknown = sorted(environment.keys() - _ENVIRONMENT)
    if unknown:
        raise PythonClauseError(
            name, f"its ENVIRONMENT has {unknown[0]}", f"It takes {', '.join(sorted(_ENVIRONMENT))}."
        )
    try:
        packages = json.loads(environment.get("dependencies", "[]"))
    except json.JSONDecodeError:
        packages = None
    if not isinstance(packages, list) or not all(isinstance(item, str) for item in packages):
        raise PythonClauseError(
            name, "its dependencies are no JSON list of texts", "Write dependencies = '[\"package\"]'."
        )
    missing = [item for item in packages if not _is_installed(item)]
    if missing:
        raise PythonPackagesError(name, tuple(missing), " ".join(f"'{item}'" for item in missing))


def _is_installed(requirement: str) -> bool:
    """Whether a package is installed, in the version that `==` demands. Other demands are for pip."""
    match = _PACKAGE.match(requirement)
    if match is None:
        return False
    try:
        installed = metadata.version(match["name"])
    except metadata.PackageNotFoundError:
        return False
    return match["version"] is None or match["version"] == installed
