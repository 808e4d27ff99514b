"""Syntax errors of Spark in the user's words."""

from __future__ import annotations

from deltasql.base.errors.base import Caret
from deltasql.engines.spark.failures import in_users_words, misread_part

NEAR = "Syntax error at or near "


def message(made: str, line: int, column: int) -> str:
    lines = made.splitlines()
    lines.insert(line, "-" * column + "^^^")
    text = "\n".join(lines)
    return f"\n[PARSE_SYNTAX_ERROR] {NEAR}'x'. SQLSTATE: 42601 (line {line}, pos {column})\n\n== SQL ==\n{text}\n"


def test_line_of_carets_is_no_part_of_the_text() -> None:
    sql = "SELECT 1\nFROM t WHERE AND\nORDER BY 1"
    place = misread_part(message("SELECT 1\nFROM __deltasql_1 AS `t` WHERE AND\nORDER BY 1", 2, 32), sql)
    assert place == Caret(sql, sql.index("AND"), sql.index("AND") + 3)


def test_case_of_ours() -> None:
    sql = "DELETE FROM t WHERE a = 1 2"
    place = misread_part(message("CASE WHEN __deltasql_target IS NULL THEN 0 WHEN (a = 1 2) THEN 1 END", 1, 10), sql)
    assert place == Caret(sql, 26, 27)


def test_message_without_text() -> None:
    assert misread_part("[PARSE_SYNTAX_ERROR] Syntax error.", "SELECT 1") is None


def test_words() -> None:
    sql = "SELECT id, FROM t"
    at_from, at_end = Caret(sql, 11, 15), Caret(sql, 17, 17)
    assert in_users_words(f"{NEAR}'AS'.", at_from) == f"{NEAR}'FROM'."
    assert in_users_words(f"{NEAR}'from': missing ')'.", at_from) == f"{NEAR}'from': missing ')'."
    assert in_users_words(f"{NEAR}')'.", at_end) == f"{NEAR}end of input."
    assert in_users_words(f"{NEAR}'__deltasql_target'.", None) == "Syntax error in an expression."
    assert in_users_words(f"{NEAR}'x'.", None) == f"{NEAR}'x'."
    assert in_users_words("Not that.", at_from) == "Not that."
