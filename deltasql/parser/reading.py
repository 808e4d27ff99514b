"""The parser's entry point: the automaton, the builders, and the errors of texts that neither can read."""

from __future__ import annotations

from typing import Any

from deltasql.errors.syntax import EmptyStatementError
from deltasql.parser.advice import foreign_form
from deltasql.parser.automaton import Automaton, NoParseError
from deltasql.parser.build import build
from deltasql.parser.diagnosis import syntax_error
from deltasql.parser.unsupported import refusal
from deltasql.sql.extents import skip_blanks


def read(text: str, start: str) -> Any:
    """The node or type in `text`, read by the rule `start`. Raises EmptyStatementError, ParseSyntaxError, refusals."""
    if text[skip_blanks(text, 0) :].strip("; \t\r\n") == "":
        raise EmptyStatementError
    automaton = Automaton(text, start)
    try:
        tree = automaton.parse()
    except NoParseError as error:
        raise refusal(text, error.stuck.position) or syntax_error(text, error.stuck) from None
    foreign = foreign_form(text)
    if foreign is not None:
        raise foreign
    return build(tree, text)
