"""Names: quoted, dotted, with versions, and every keyword that is not reserved."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.plan.base import SqlText, Temporal
from deltasql.sql.parser import ParseSyntaxError, keywords, parse
from deltasql.statements.columns import AddColumns
from deltasql.statements.delete import Delete
from deltasql.statements.insert import Insert
from deltasql.statements.merge import InsertAction, Merge, UpdateAction
from deltasql.statements.table import CreateTable, DropTable
from deltasql.statements.update import Update

RESERVED = frozenset(
    "AND AS CASE ELSE EXCEPT FROM IN INTO IS NOT NULL ON OR SELECT SET THEN USING WHEN WHERE WITH".split()  # noqa: SIM905
)
FREE = sorted(keywords() - RESERVED)
MORE = ["date", "key", "data", "order", "group", "user", "end", "left", "1abc", "_x", "größe", "数量", "2024_01"]
WORDS = [*FREE, *MORE]


def each_word(test: Callable[[str], None]) -> Callable[[], None]:
    """A test of each word in one: two thousand tests would take longer to hand out than to run."""

    def run() -> None:
        for word in WORDS:
            try:
                test(word)
            except Exception as error:
                raise AssertionError(f"{word}: {error}") from error

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@each_word
def test_table_of_any_name(word: str) -> None:
    for name in (word, f"{word}.{word}", f"{word}.{word}.{word}"):
        node = parse(f"DROP TABLE {name}")
        assert isinstance(node, DropTable)
        # DELTA.`/x` is a table at a path, however the word is written.
        written = ("delta", "DELTA") if name == "DELTA.DELTA" else tuple(name.split("."))
        assert node.table.parts == written


@each_word
def test_column_of_any_name(word: str) -> None:
    node = parse(f"ALTER TABLE t ADD COLUMNS ({word} INT, {word}.{word} STRUCT<{word}: INT, {word} INT> AFTER {word})")
    assert isinstance(node, AddColumns)
    assert [column.path.parts for column in node.columns] == [(word,), (word, word)]
    assert node.columns[1].after == word


@each_word
def test_column_of_a_new_table_of_any_name(word: str) -> None:
    node = parse(
        f"CREATE TABLE {word} ({word} STRING COMMENT 'x') PARTITIONED BY ({word}) CLUSTER BY ({word}, a.{word})"
    )
    assert isinstance(node, CreateTable)
    assert node.columns is not None
    assert node.columns[0].name == node.partitioned_by[0].name == word
    assert node.cluster_by is not None
    assert node.cluster_by.columns[1].parts == ("a", word)


@each_word
def test_update_of_any_name(word: str) -> None:
    node = parse(f"UPDATE {word} SET {word} = {word}, {word}.{word} = {word} + t.{word} WHERE {word} = 1 AND {word}")
    assert isinstance(node, Update)
    assert [(str(a.target), a.value and a.value.text) for a in node.assignments] == [
        (str(node.assignments[0].target), word if word != "DEFAULT" else None),
        (str(node.assignments[1].target), f"{word} + t.{word}"),
    ]
    assert node.alias is None
    assert node.condition is not None


@each_word
def test_alias_of_any_name(word: str) -> None:
    node = parse(f"DELETE FROM t AS {word} WHERE {word}.x = 1")
    assert isinstance(node, Delete)
    assert node.alias == word
    bare = parse(f"DELETE FROM t {word} WHERE {word}.x = 1")
    assert isinstance(bare, Delete)
    assert bare.alias == word


@each_word
def test_insert_of_any_name(word: str) -> None:
    node = parse(f"INSERT INTO {word} PARTITION ({word} = {word}, a) ({word}, b) SELECT {word}, 1 FROM {word}")
    assert isinstance(node, Insert)
    assert node.columns is not None
    assert [column.parts for column in node.columns] == [(word,), ("b",)]
    assert node.query.text == f"SELECT {word}, 1 FROM {word}"


@each_word
def test_merge_of_any_name(word: str) -> None:
    node = parse(
        f"MERGE INTO {word} USING {word}.{word} AS {word} ON {word}.{word} = t.{word} "
        f"WHEN MATCHED AND {word} THEN UPDATE SET {word} = 1, {word}.{word} = {word}.{word} "
        f"WHEN NOT MATCHED THEN INSERT ({word}, x) VALUES ({word}.{word}, 1)"
    )
    assert isinstance(node, Merge)
    assert (node.source_alias, node.condition.text) == (word, f"{word}.{word} = t.{word}")
    update, insert = (clause.action for clause in node.clauses)
    assert isinstance(update, UpdateAction)
    assert [target.target.parts for target in update.assignments] == [(word,), (word, word)]
    assert isinstance(insert, InsertAction)
    assert insert.values[0] is not None
    assert insert.values[0].text == f"{word}.{word}"


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize(
    "template",
    [
        "DROP TABLE {}",
        "DELETE FROM t {}",
        "DELETE FROM t AS {}",
        "UPDATE t SET {} = 1",
        "UPDATE t SET a.{} = 1",
        "ALTER TABLE t ADD COLUMN {} INT",
    ],
)
def test_reserved_word_must_be_quoted(word: str, template: str) -> None:
    with pytest.raises(ParseSyntaxError):
        parse(template.format(word))
    parse(template.format(f"`{word}`"))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("`a b`", ("a b",)),
        ("a . `b``c` .d", ("a", "b`c", "d")),
        ("`a.b`.c", ("a.b", "c")),
        ("delta.`/a b/c`", ("delta", "/a b/c")),
        ("DELTA.`s3://b/p`", ("delta", "s3://b/p")),
        ("delta . `/p@x`", ("delta", "/p@x")),
    ],
)
def test_table_names(name: str, parts: tuple[str, ...]) -> None:
    sql = f"DROP TABLE {name}"
    node = parse(sql)
    assert isinstance(node, DropTable)
    assert node.table.parts == parts
    assert sql[node.table.start : node.table.end] == name
    assert node.table.temporal is None


@pytest.mark.parametrize(
    ("name", "parts", "temporal"),
    [
        ("t@v1", ("t",), Temporal(version=1)),
        ("a.b.`c`@V12", ("a", "b", "c"), Temporal(version=12)),
        ("t@20240131000000000", ("t",), Temporal(timestamp=SqlText("20240131000000000", 13))),
        ("delta.`/p@v3`", ("delta", "/p"), Temporal(version=3)),
        ("delta.`/p@20240131000000000`", ("delta", "/p"), Temporal(timestamp=SqlText("20240131000000000", 21))),
    ],
)
def test_versions_in_names(name: str, parts: tuple[str, ...], temporal: Temporal) -> None:
    sql = f"DROP TABLE {name}"
    node = parse(sql)
    assert isinstance(node, DropTable)
    assert (node.table.parts, node.table.temporal) == (parts, temporal)
    assert sql[node.table.start : node.table.end] == name
    if temporal.timestamp:
        assert sql[temporal.timestamp.start : temporal.timestamp.end] == temporal.timestamp.text


def test_too_many_parts() -> None:
    with pytest.raises(ParseSyntaxError, match="at most three parts"):
        parse("DROP TABLE a.b.c.d")


@pytest.mark.parametrize("word", ["using", "on", "where", "set"])
def test_half_a_statement_does_not_become_a_whole_one(word: str) -> None:
    with pytest.raises(ParseSyntaxError):
        parse(f"DELETE FROM t {word}")
