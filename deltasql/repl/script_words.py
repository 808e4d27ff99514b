"""Keywords of scripts, BEGIN … END, which the grammar of statements lacks."""

from __future__ import annotations

from deltasql.sql.splitting import is_complete, is_script, split
from deltasql.sql.tokens import tokenize

_STATEMENTS = (
    *("BEGIN", "DECLARE", "IF", "CASE", "WHILE", "LOOP", "REPEAT", "FOR", "SET", "LEAVE", "ITERATE", "SIGNAL"),
    *("RESIGNAL", "GET DIAGNOSTICS", "OPEN", "FETCH", "CLOSE", "END", "SELECT", "INSERT INTO", "UPDATE", "DELETE FROM"),
    *("MERGE INTO", "CREATE TABLE", "EXECUTE IMMEDIATE", "VALUES"),
)
_AFTER: dict[str, tuple[str, ...]] = {
    "END": ("IF", "WHILE", "LOOP", "REPEAT", "FOR", "CASE"),
    "DECLARE": ("EXIT HANDLER FOR", "CONTINUE HANDLER FOR", "CONDITION", "CURSOR", "VARIABLE"),
    "EXIT": ("HANDLER FOR",),
    "CONTINUE": ("HANDLER FOR",),
    "HANDLER": ("FOR",),
    "SIGNAL": ("SQLSTATE",),
    "GET": ("DIAGNOSTICS CONDITION",),
    "FETCH": ("NEXT FROM", "FROM"),
}
_OPENS = {"BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", ";"}
_CONDITIONS = ("SQLEXCEPTION", "NOT FOUND", "SQLSTATE", "DIVIDE_BY_ZERO")


def in_script(text: str) -> bool:
    """Whether the text ends within BEGIN … END."""
    statements = list(split(text))
    return bool(statements) and not is_complete(text) and is_script(statements[-1].text)


def script_words(before: str) -> list[str]:
    """The script keywords that may follow; none within a statement of the script."""
    words = [token.text.upper() for token in tokenize(before) if token.text.strip()]
    last = words[-1] if words else ""
    if last in _OPENS:
        return list(_STATEMENTS)
    if last == "FOR" and "HANDLER" in words[-3:]:
        return list(_CONDITIONS)
    return list(_AFTER.get(last, ()))
