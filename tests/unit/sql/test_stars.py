"""Stars in expressions, and the columns that they stand for."""

from __future__ import annotations

import pytest

from deltasql.sql.references import stars_spelled

BOTH = "t.a, t.`b c`, s.x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to_json(struct(*)) = ''", f"to_json(struct({BOTH})) = ''"),
        ("hash(T.*, 1) > s.x * 2", "hash(t.a, t.`b c`, 1) > s.x * 2"),
        ("struct(db.`t`.* /* all */)", "struct(t.a, t.`b c` /* all */)"),
        ("struct(* EXCEPT (A, x))", "struct(t.`b c`)"),
        ("struct(t.* EXCEPT (`B c`), s.*)", "struct(t.a, s.x)"),
        ("(a) * 2 > b * -1 AND c[0] * 3 = 6 AND '*' = d", "(a) * 2 > b * -1 AND c[0] * 3 = 6 AND '*' = d"),
        (
            "a IN (SELECT * FROM u) OR EXISTS (SELECT t.* FROM v t)",
            "a IN (SELECT * FROM u) OR EXISTS (SELECT t.* FROM v t)",
        ),
        ("struct(field.*)", "struct(field.*)"),
        ("struct(* EXCEPT (s.x))", "struct(* EXCEPT (s.x))"),
        ("count(*) > 1", "count(*) > 1"),
    ],
)
def test_stars(text: str, expected: str) -> None:
    scopes = [("t", lambda: ("a", "b c")), ("s", lambda: ("x",))]
    assert stars_spelled(text, scopes) == expected
