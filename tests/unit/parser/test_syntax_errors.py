"""What is said about wrong statements, and where the caret stands."""

from __future__ import annotations

import pytest

from deltasql.base.errors import (
    DatatypeMissingSizeError,
    DecimalPrecisionError,
    DuplicateClausesError,
    EmptyStatementError,
    MergeMissingWhenError,
    ParseSyntaxError,
    UnsupportedDatatypeError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.sql.parser import parse


def failure(sql: str) -> ParseSyntaxError:
    with pytest.raises(ParseSyntaxError) as caught:
        parse(sql)
    assert (caught.value.condition, caught.value.sqlstate) == ("PARSE_SYNTAX_ERROR", "42601")
    return caught.value


MERGE = "MERGE INTO t USING s ON t.a = s.a "


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("»SELCT 1", "No statement starts with 'SELCT'. Did you mean SELECT?"),
        ("»foo", "No statement starts with 'foo'."),
        ("»'x'", "No statement starts with 'x'."),
        ("»\\d t", "No statement starts with '\\'. Commands that begin with \\ are the shell's, "),
        ("»UPDTE t SET a = 1", "No statement starts with 'UPDTE'. Did you mean UPDATE?"),
        (MERGE + "WHEN »MATCHD THEN DELETE", "Found 'MATCHD', but expected MATCHED or NOT. Did you mean MATCHED?"),
        (
            MERGE + "»WEHN MATCHED THEN DELETE",
            "Found 'WEHN', but expected WHEN or the end of the statement. Did you mean WHEN?",
        ),
        ("MERGE INTO t »USIGN s ON a = b", "Found 'USIGN', but expected USING. Did you mean USING?"),
        (
            "MERGE INTO t USING s »WHEN MATCHED",
            "Found 'WHEN', but expected a name, text in parentheses: (…), AS, ON, TIMESTAMP or VERSION.",
        ),
        (MERGE + "WHEN MATCHED AND x = 1 »DELETE", "Found 'DELETE', but expected THEN."),
        (MERGE + "WHEN MATCHED AND »THEN DELETE", "Found 'THEN', but expected an expression."),
        (
            MERGE + "WHEN MATCHED THEN »INSERT *",
            "Found 'INSERT', but expected DELETE or UPDATE. INSERT belongs to WHEN NOT MATCHED.",
        ),
        (
            MERGE + "WHEN NOT MATCHED THEN »DELETE",
            "Found 'DELETE', but expected INSERT. DELETE belongs to WHEN MATCHED or WHEN NOT MATCHED BY SOURCE.",
        ),
        (MERGE + "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET »*", "Found '*', but expected a name."),
        (
            MERGE + "WHEN MATCHED THEN UPDATE SET * EXCEPT »a",
            "Found 'a', but expected '('. Write the columns in parentheses: EXCEPT (a, b).",
        ),
        ("UPDATE t SET a »1", "Found '1', but expected '='."),
        ("UPDATE t SET a = »WHERE b", "Found 'WHERE', but expected an expression or DEFAULT."),
        ("UPDATE t SET a = 1 + »WHERE b", "Found 'WHERE', but expected an expression or DEFAULT."),
        ("UPDATE t SET a = »= 1", "Found '=', but expected an expression or DEFAULT."),
        ("DELETE FROM t WHERE »>= 1", "Found '>', but expected an expression."),
        (
            "UPDATE t SET a = 1, »",
            "Found the end of the statement, but expected a name. Remove the comma before it.",
        ),
        (
            "ALTER TABLE t ADD COLUMNS (a INT,»)",
            "Found ')', but expected a name. Remove the comma before it.",
        ),
        (
            "CREATE TABLE t (a INT,»)",
            "Found ')', but expected a name, CHECK or CONSTRAINT. Remove the comma before it.",
        ),
        (
            "CREATE TABLE t (a INT, »from STRING)",
            "Found 'from', but expected a name, CHECK or CONSTRAINT. To use it as a name, write `from`.",
        ),
        ("DELETE FROM t WHERE»", "Found the end of the statement, but expected an expression."),
        ("DELETE FROM t WHERE a = »;", "Found ';', but expected an expression."),
        ("DELETE »t WHERE a", "Found 't', but expected FROM."),
        ("DELETE FROM »where x = 1", "Found 'where', but expected a name. To use it as a name, write `where`."),
        (
            "ALTER TABLE t »RENAMED TO x",
            "Found 'RENAMED', but expected ADD, ALTER, CHANGE, CLUSTER, DEFAULT, DISABLE, DROP, ENABLE, INHERIT, "
            "OWNER, …. Did you mean RENAME?",
        ),
        (
            "ALTER TABLE t ADD »CLOUMN a INT",
            "Found 'CLOUMN', but expected COLUMN, COLUMNS or CONSTRAINT. Did you mean COLUMN?",
        ),
        ("INSERT INTO t (a »b) VALUES (1)", "Found 'b', but expected ',' or ')'."),
        ("INSERT INTO t (a, ») VALUES (1)", "Found ')', but expected a name."),
        ("CREATE TABLE t (a INT, »)", "Found ')', but expected a name, CHECK or CONSTRAINT."),
        ("DROP TABLE IF EXISTS»", "Found the end of the statement, but expected a name."),
        ("DROP TABLE a; »DROP TABLE b", "Found 'DROP', but expected the end of the statement."),
        ("SHOW TABLES IN s LIKE »x", "Found 'x', but expected a string."),
        ("DESCRIBE HISTORY t LIMIT »'a'", "Found 'a', but expected a whole number."),
        ("EXPLAIN »foo", "Found 'foo', but expected"),
        (MERGE + "WHEN NOT MATCHED THEN »INSERT (a, b) VALUES (1)", "INSERT lists 2 columns but 1 value."),
        ("UPDATE t SET a = »CASE WHEN b THEN 1", "The CASE that starts here is never closed by END."),
        ("INSERT INTO t VALUES (1, »'a)", "The string that starts here with ' is never closed."),
        ('DELETE FROM t WHERE a = »"x', 'The string that starts here with " is never closed.'),
        ("DELETE FROM t WHERE »`x = 1", "The quoted name that starts here with ` is never closed."),
        ("INSERT INTO t VALUES »(1, (2)", "The parenthesis that starts here with ( is never closed."),
        ("CREATE TABLE t »(a DECIMAL(3, 2)", "The parenthesis that starts here with ( is never closed."),
        ("ALTER TABLE t SET TBLPROPERTIES »('a' = 'b'", "The parenthesis that starts here with ( is never closed."),
        ("UPDATE t SET a = »(1; ", "The parenthesis that starts here with ( is never closed."),
        ("DELETE FROM t WHERE a»[1", "The bracket that starts here with [ is never closed."),
        ("DELETE FROM t »/* x /* y */", "The comment that starts here with /* is never closed."),
        ("SELECT 1»)", "Nothing opens this )."),
        ("SELECT (1»]", "Nothing opens this ]."),
    ],
)
def test_message_and_place(sql: str, message: str) -> None:
    text = sql.replace("»", "")
    error = failure(text)
    assert error.message.startswith(message)
    assert error.caret is not None
    assert error.caret.sql == text
    assert error.caret.start == sql.index("»")


@pytest.mark.parametrize("sql", ["", "  ", ";", " -- nothing\n", "/* a /* b */ */ ;;"])
def test_empty_statement(sql: str) -> None:
    with pytest.raises(EmptyStatementError) as caught:
        parse(sql)
    assert caught.value.condition == "PARSE_EMPTY_STATEMENT"


def test_place_in_several_lines() -> None:
    error = failure("MERGE INTO t\n  -- comment\n\tUSING s\n  ON a = b\nWHEN MATCHD THEN DELETE")
    assert error.caret is not None
    assert (error.caret.line, error.caret.column) == (5, 6)
    assert str(error).endswith("WHEN MATCHD THEN DELETE\n     ^^^^^^")


def test_found_and_expected() -> None:
    error = failure("ALTER TABLE t FOO")
    known = (
        *("ADD", "ALTER", "CHANGE", "CLUSTER", "DEFAULT", "DISABLE", "DROP", "ENABLE", "INHERIT", "OWNER", "RENAME"),
        *("REPLACE", "SET", "UNSET"),
    )
    assert (error.found, error.expected) == ("FOO", known)


@pytest.mark.parametrize(
    ("sql", "error", "place"),
    [
        ("ALTER TABLE t ADD COLUMN a INTEGR", UnsupportedDatatypeError, "INTEGR"),
        ("ALTER TABLE t ADD COLUMN a INTERVAL DAY TO SECOND", UnsupportedDatatypeError, "INTERVAL DAY TO SECOND"),
        ("CREATE TABLE t (a ARRAY<STRUCT<b: INT(3)>>)", UnsupportedDatatypeError, "INT(3)"),
        ("CREATE TABLE t (a DECIMAL(39, 1))", DecimalPrecisionError, "DECIMAL(39, 1)"),
        ("CREATE TABLE t (a DECIMAL(3, 4))", DecimalPrecisionError, "DECIMAL(3, 4)"),
        ("CREATE TABLE t (a VARCHAR)", DatatypeMissingSizeError, "VARCHAR"),
        ("CREATE TABLE t (a INT COMMENT 'x' comment 'y')", DuplicateClausesError, "comment 'y'"),
        ("CREATE TABLE t (a INT) LOCATION 'x' LOCATION 'y'", DuplicateClausesError, "LOCATION 'y'"),
        ("ALTER TABLE t ADD COLUMN a INT FIRST AFTER b", DuplicateClausesError, "AFTER b"),
        ("MERGE INTO t USING s ON a = b", MergeMissingWhenError, "MERGE INTO t USING s ON a = b"),
        ("MERGE INTO t USING s VERSION AS OF 'x' ON a WHEN MATCHED THEN DELETE", ParseSyntaxError, "'x'"),
        (
            "MERGE INTO t USING s@v1 VERSION AS OF 2 ON a WHEN MATCHED THEN DELETE",
            ParseSyntaxError,
            "s@v1 VERSION AS OF 2",
        ),
        ("CREATE TABLE t (a INT GENERATED ALWAYS AS ( ))", ParseSyntaxError, "( )"),
    ],
)
def test_errors_of_single_clauses(sql: str, error: type[DeltaSqlError], place: str) -> None:
    with pytest.raises(error) as caught:
        parse(sql)
    caret = caught.value.caret
    assert caret is not None
    assert sql[caret.start : caret.end] == place


def test_unknown_type_lists_the_types() -> None:
    with pytest.raises(UnsupportedDatatypeError, match=r"Use one of: BOOLEAN, .*STRUCT<name: type, …>") as caught:
        parse("ALTER TABLE t ADD COLUMN a THING")
    assert (caught.value.condition, caught.value.sqlstate) == ("UNSUPPORTED_DATATYPE", "0A000")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t LIKE s COMMENT 'x'",
        "CREATE TABEL t (a INT)",
        "CREATE TABLE t (a)",
        "ALTER TABLE t",
        "SHOW TABLS",
        "DROP TABLE",
        "DROP SCHEMA a b",
        "INSERT t SELECT 1",
        "INSERT INTO t",
        "MERGE t USING s ON a",
        "UPDATE t WHERE a",
        "RESET a b",
        "COMMENT ON TABLE t",
        "TRUNCATE TABLE t PARTITION",
    ],
)
def test_our_statements_do_not_fall_through_to_spark(sql: str) -> None:
    assert failure(sql).expected
