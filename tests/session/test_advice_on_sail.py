"""What is told of a mistaken statement does not depend on the engine that would run it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError

pytestmark = pytest.mark.sail


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with connect(str(tmp_path_factory.mktemp("warehouse")), engine="sail") as opened:
        opened.sql("CREATE TABLE t (id INT, name STRING)")
        opened.sql("CREATE TABLE u (id INT, price DOUBLE)")
        yield opened


@pytest.mark.parametrize(
    ("sql", "condition", "told"),
    [
        ("SELECT TOP 5 * FROM t", "PARSE_SYNTAX_ERROR", "near 'TOP 5'. Write LIMIT n at the end."),
        ("SELECT * FROM t LIMIT 2, 5", "PARSE_SYNTAX_ERROR", "near ','. Write LIMIT n OFFSET m."),
        ("SELECT id, FROM t", "PARSE_SYNTAX_ERROR", "near 'FROM'. Remove the comma before it."),
        ("SELECT id FROM t WHERE id => 1", "PARSE_SYNTAX_ERROR", "near '=>'. Write >=."),
        ("SELECT id FROM t HAVNG id > 1", "PARSE_SYNTAX_ERROR", "Found 'HAVNG'. Did you mean HAVING?"),
        ("SELECT * EXCEPT () FROM t", "PARSE_SYNTAX_ERROR", "Syntax error at or near ')'."),
        ("INSERT INTO t (id) VALUES (1) ON CONFLICT DO NOTHING", "DELTA_OPERATION_NOT_ALLOWED", "ON CONFLICT is not"),
        (
            "INSERT INTO t (id) SELECT t.id FROM t JOIN u ON t.id = u.id ON CONFLICT (id) DO NOTHING",
            "DELTA_OPERATION_NOT_ALLOWED",
            "ON CONFLICT is not",
        ),
    ],
)
def test_advice(session: Session, sql: str, condition: str, told: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql).collect()
    assert caught.value.condition == condition
    assert told in caught.value.message
    assert caught.value.caret is not None


def test_a_misspelt_word_of_describe_with_a_started_engine(session: Session) -> None:
    session.sql("SELECT explode(array(1, 2))").collect()
    with pytest.raises(DeltaSqlError, match="Did you mean DESCRIBE HISTORY t"):
        session.sql("DESCRIBE HISTROY t")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT upper(nme) FROM t", "Did you mean one of the following? [`name`, `id`]."),
        ("SELECT t.nme, count(*) FROM t GROUP BY t.nme", "Did you mean one of the following? [`name`, `id`]."),
        ("DELETE FROM t WHERE upper(nme) = 'A'", "Did you mean one of the following? [`name`, `id`]."),
        (
            "MERGE INTO t USING (SELECT upper('a') AS id) s ON t.id = s.idd WHEN MATCHED THEN DELETE",
            "Cannot resolve s.idd in the MERGE: the columns in reach there are id, name. Did you mean id?",
        ),
    ],
)
def test_a_name_that_no_column_has(session: Session, sql: str, told: str) -> None:
    """Sail names no columns; those of the tables that a statement reads are proposed."""
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql).collect()
    assert told in caught.value.message
    assert caught.value.caret is not None
