"""Texts with a collation in tables: queries and changes of rows give what Spark gives for the same rows in a view.

DELTASQL_GRID=all compares all of them for five collations; else it is a sample for two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ways.collated import COLLATIONS, COMPARED, WAYS, Grid, opened, sample

CONDITIONS = """
name = 'ADA'
name <> 'ada'
name <=> NULL OR name <=> 'BEN'
'KÖLN' = name
name > 'ADA' AND name <= 'ben'
name >= 'Z'
name BETWEEN 'b' AND 'KZ'
NOT name BETWEEN 'a' AND 'z'
name IN ('ada', 'ÉTE', 'strasse')
name NOT IN ('Ada', 'FIN')
name IS NULL
name LIKE 'a%'
name NOT LIKE '%a'
name LIKE 'a\\\\%_'
name ILIKE 'AD_'
startswith(name, 'AD')
contains(name, 'EN')
endswith(name, 'A')
name RLIKE '^a'
name = plain
name = upper(plain)
plain = 'ada'
plain COLLATE {c} = 'ada'
name COLLATE UTF8_BINARY = 'ADA'
name COLLATE UNICODE_CI = 'ada'
lower(name) = 'ADA'
concat(name, 'x') = 'ADAX'
coalesce(name, 'nothing') = 'NOTHING'
trim(name) = 'ben'
rtrim(name) = 'ADA'
CASE name WHEN 'ADA' THEN true ELSE false END
nullif(name, 'ADA') IS NULL
length(name) = 3 AND name < 'b'
s.x = 'ADA'
s.x IN ('köln', 'z')
tags[0] = 'ADA'
array_contains(tags, 'ADA')
m['k'] = 'BEN'
s = named_struct('x', 'ADA')
tags = array('ada')
name IN (SELECT plain FROM {t} WHERE id % 3 = 0)
name = (SELECT max(name) FROM {t})
name = (SELECT min(s.x) FROM {t})
EXISTS (SELECT 1 FROM {t} AS o WHERE o.name = q.name AND o.id <> q.id)
name = 'ADA' COLLATE UTF8_LCASE
name = CAST(plain AS STRING COLLATE UNICODE)
id < 9 AND name = 'ADA' OR name = 'KOLN'
plain = 'ada' COLLATE UTF8_LCASE
plain IN ('ada' COLLATE UTF8_LCASE, 'z')
plain = CAST('ada' AS STRING COLLATE UTF8_LCASE)
plain = collate('ada', 'UNICODE_CI')
plain BETWEEN 'A' COLLATE UTF8_LCASE AND 'b'
plain LIKE 'AD%' COLLATE UTF8_LCASE
startswith(plain, 'AD' COLLATE UTF8_LCASE)
CAST(name AS STRING) = 'ADA'
name::STRING COLLATE UTF8_LCASE = 'ADA'
""".strip().splitlines()
QUERIES = """
SELECT * FROM {t}
SELECT id, name FROM {t} ORDER BY name, id
SELECT id FROM {t} ORDER BY name DESC NULLS FIRST, id LIMIT 7
SELECT id FROM {t} ORDER BY s.x, id
SELECT min(id), max(id), count(*) FROM {t} GROUP BY name
SELECT count(*) AS n, min(id) FROM {t} GROUP BY s.x HAVING count(*) > 1
SELECT min(id), count(*) FROM {t} GROUP BY name, tags
SELECT min(id), count(*) FROM {t} GROUP BY s
SELECT count(DISTINCT name), count(DISTINCT s.x), count(DISTINCT plain), count(name), count(*) FROM {t}
SELECT count(*) FROM (SELECT DISTINCT name FROM {t})
SELECT count(*) FROM (SELECT DISTINCT s, tags FROM {t})
SELECT a.id, b.id FROM {t} AS a JOIN {t} AS b ON a.name = b.name
SELECT a.id, b.id FROM {t} AS a JOIN {t} AS b ON a.name <=> b.s.x AND a.id < b.id
SELECT a.id FROM {t} AS a LEFT ANTI JOIN (SELECT upper(plain) AS k FROM {t} WHERE id > 9) AS b ON a.name = b.k
SELECT count(*) FROM {t} AS a JOIN {t} AS b USING (name)
SELECT a.id, b.id FROM {t} AS a JOIN {t} AS b ON a.s = b.s AND a.id < b.id
SELECT a.id FROM {t} AS a JOIN {t} AS b ON a.name = b.name COLLATE UTF8_LCASE WHERE b.id = 2
SELECT a.id FROM {t} AS a JOIN {t} AS b ON a.name = b.plain
SELECT count(*) FROM (SELECT name FROM {t} WHERE id < 9 INTERSECT SELECT s.x FROM {t} WHERE id > 3)
SELECT count(*) FROM (SELECT name FROM {t} EXCEPT SELECT name FROM {t} WHERE id < 9)
SELECT count(*) FROM (SELECT name FROM {t} UNION SELECT name FROM {t})
SELECT count(*) FROM (SELECT name FROM {t} UNION SELECT plain FROM {t})
SELECT id, rank() OVER (PARTITION BY name ORDER BY id), dense_rank() OVER (ORDER BY name) FROM {t}
SELECT id, lag(id) OVER (ORDER BY name, id) FROM {t}
SELECT collation(name), collation(plain), collation(s.x), collation(tags[0]), collation(m['k']) FROM {t} LIMIT 1
SELECT typeof(name), typeof(tags), typeof(s), typeof(m) FROM {t} LIMIT 1
SELECT id, upper(name), initcap(name), replace(name, 'A', '_'), instr(name, 'A'), split_part(name, 'D', 1) FROM {t}
SELECT id, concat(name, '!'), name || plain, substring(name, 1, 2), array_position(tags, 'ADA') FROM {t} WHERE id < 5
SELECT size(array_distinct(collect_list(name))), size(collect_set(name)) FROM {t}
SELECT array_sort(tags || array('a', 'B')) FROM {t} WHERE id < 7
SELECT id, tag FROM {t} LATERAL VIEW explode(tags) AS tag WHERE tag = 'ADA'
SELECT id, greatest(name, 'M'), least(name, 'M') FROM {t} WHERE id < 9
SELECT min_by(id, struct(name, id)), max_by(id, struct(name, id)) FROM {t}
SELECT mode(length(name)), approx_count_distinct(name) FROM {t}
SELECT count(*) FILTER (WHERE name = 'ada') FROM {t}
SELECT id FROM {t} WHERE name = 'ADA' UNION ALL SELECT id FROM {t} WHERE plain = 'ADA'
WITH w AS (SELECT name AS n, id FROM {t}) SELECT id FROM w WHERE n = 'ben'
""".strip().splitlines()
KEYS = (
    "(SELECT CAST(k AS STRING COLLATE {c}) AS k, w FROM VALUES ('ADA', 'm'), ('köLN', 'k'), ('new', 'n') AS v (k, w))"
)
CHANGED = "id, name, CASE WHEN {condition} THEN 'u' ELSE plain END AS plain, tags, s, m"
CHANGES = {
    f"MERGE INTO {{t}} AS q USING {KEYS} AS v ON q.name = v.k WHEN MATCHED THEN UPDATE SET plain = v.w "
    "WHEN NOT MATCHED THEN INSERT (name, plain) VALUES (v.k, v.w)": (
        f"SELECT q.id, q.name, coalesce(v.w, q.plain), q.tags, q.s, q.m FROM {{t}} AS q LEFT JOIN {KEYS} AS v "
        f"ON q.name = v.k UNION ALL SELECT NULL, k, w, NULL, NULL, NULL FROM {KEYS} AS v "
        "WHERE NOT EXISTS (SELECT 1 FROM {t} AS q WHERE q.name = v.k)"
    ),
    f"MERGE INTO {{t}} AS q USING {KEYS} AS v ON q.s.x = v.k WHEN MATCHED AND q.name < 'ade' THEN DELETE "
    "WHEN NOT MATCHED BY SOURCE AND q.name > 'x' THEN UPDATE SET name = 'gone'": (
        "SELECT q.id, CASE WHEN v.k IS NULL AND q.name > 'x' THEN CAST('gone' AS STRING COLLATE {c}) ELSE q.name END, "
        f"q.plain, q.tags, q.s, q.m FROM {{t}} AS q LEFT JOIN {KEYS} AS v ON q.s.x = v.k "
        "WHERE NOT coalesce(v.k IS NOT NULL AND q.name < 'ade', false)"
    ),
    "UPDATE {t} SET name = upper(plain), s.x = 'X' WHERE name = 'ADA'": (
        "SELECT id, CASE WHEN name = 'ADA' THEN CAST(upper(plain) AS STRING COLLATE {c}) ELSE name END, plain, tags, "
        "CASE WHEN name = 'ADA' THEN CAST(named_struct('x', 'X') AS STRUCT<x: STRING COLLATE {c}>) ELSE s END, m "
        "FROM {t}"
    ),
    "MERGE INTO {t} AS q USING (SELECT 'ADA' AS k, 'x' AS w) AS v ON q.plain = v.k COLLATE UTF8_LCASE "
    "WHEN MATCHED THEN UPDATE SET name = v.w": (
        "SELECT id, CASE WHEN plain = 'ADA' COLLATE UTF8_LCASE THEN CAST('x' AS STRING COLLATE {c}) ELSE name END, "
        "plain, tags, s, m FROM {t}"
    ),
    "MERGE INTO {t} AS q USING (SELECT 'BEN' AS k, 'x' AS w) AS v ON collate(v.k, 'UTF8_LCASE') = q.plain "
    "WHEN MATCHED THEN DELETE": "SELECT * FROM {t} WHERE NOT coalesce(plain = 'ben' COLLATE UTF8_LCASE, false)",
    "MERGE INTO {t} AS q USING (SELECT 'ADA' AS k, 'x' AS w) AS v ON q.plain = CAST(v.k AS STRING COLLATE UTF8_LCASE) "
    "WHEN MATCHED THEN DELETE": (
        "SELECT q.* FROM {t} AS q LEFT ANTI JOIN (SELECT 'ADA' AS k) AS v ON q.plain = "
        "CAST(v.k AS STRING COLLATE UTF8_LCASE)"
    ),
    "MERGE INTO {t} AS q USING (SELECT 'ADA' COLLATE UTF8_LCASE AS k) AS v ON q.plain = v.k WHEN MATCHED THEN DELETE": (
        "SELECT q.* FROM {t} AS q LEFT ANTI JOIN (SELECT 'ADA' COLLATE UTF8_LCASE AS k) AS v ON q.plain = v.k"
    ),
    "MERGE INTO {t} AS q USING (SELECT 'ADA' COLLATE UTF8_LCASE AS k) AS v ON q.name = v.k WHEN MATCHED THEN DELETE": (
        "SELECT q.* FROM {t} AS q LEFT ANTI JOIN (SELECT 'ADA' COLLATE UTF8_LCASE AS k) AS v ON q.name = v.k"
    ),
    "INSERT INTO {t} AS o REPLACE ON o.plain = s.plain COLLATE UTF8_LCASE (SELECT 92 AS id, 'r' AS name, "
    "'BEN' AS plain, NULL AS tags, NULL AS s, NULL AS m) AS s": (
        "SELECT * FROM {t} WHERE NOT coalesce(plain = 'ben' COLLATE UTF8_LCASE, false) UNION ALL "
        "SELECT 92, CAST('r' AS STRING COLLATE {c}), 'BEN', NULL, NULL, NULL"
    ),
    "INSERT INTO {t} REPLACE WHERE name = 'ADA' SELECT 90, 'ADA', 'r', NULL, NULL, NULL": (
        "SELECT * FROM {t} WHERE NOT coalesce(name = 'ADA', false) UNION ALL "
        "SELECT 90, CAST('ADA' AS STRING COLLATE {c}), 'r', NULL, NULL, NULL"
    ),
    "INSERT INTO {t} REPLACE USING (name) SELECT 91 AS id, CAST('BEN' AS STRING COLLATE {c}) AS name, 'r' AS plain, "
    "NULL AS tags, NULL AS s, NULL AS m": (
        "SELECT * FROM {t} WHERE NOT coalesce(name = 'BEN', false) UNION ALL "
        "SELECT 91, CAST('BEN' AS STRING COLLATE {c}), 'r', NULL, NULL, NULL"
    ),
}


@pytest.fixture(params=COMPARED)
def grid(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Grid]:
    with opened(request.param, tmp_path / "warehouse") as rows:
        yield rows


def test_queries(grid: Grid) -> None:
    conditions = [f"SELECT id FROM {{t}} AS q WHERE {condition}" for condition in CONDITIONS]
    queries = sample([*conditions, *QUERIES], COLLATIONS.index(grid.collation), 5)
    found = [text for query in queries for text in grid.differences(query, query)]
    assert not found, "\n".join(found)


def test_aggregates(grid: Grid) -> None:
    """Spark without generated code keeps a collated text in a buffer that the next row overwrites: it may not be used.

    With all texts of a table, and a view, function or query that names the collation of a plain column.
    """
    collated = f"CAST(plain AS STRING COLLATE {grid.collation})"
    grid.session.sql(f"CREATE TEMPORARY VIEW v AS SELECT id, {collated} AS name FROM t")
    grid.session.sql(f"CREATE TEMPORARY FUNCTION shown(plain STRING) RETURN {collated}")
    aggregates = "max({0}), min({0}), max_by({0}, id), min_by({0}, id), count(DISTINCT {0})"
    ordered = "first({0}), last({0}), any_value({0}), collect_list({0})"
    found = []
    for source, text in ("t", "name"), ("t", collated), ("v", "name"), ("t", "shown(plain)"):
        name = "name" if text != collated else text
        for asked in aggregates, f"id % 3, {aggregates}", ordered:
            group = " GROUP BY id % 3" if "%" in asked else ""
            rows = "(SELECT * FROM {t} ORDER BY id)" if asked is ordered else "{t}"
            ours = f"SELECT {asked.format(text)} FROM {rows}{group}".replace("{t}", source)
            theirs = f"SELECT {asked.format(name)} FROM {rows}{group}"
            found += list(grid.differences(ours, theirs, named=False))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("properties", ["", "'delta.enableDeletionVectors' = 'true'"], ids=["copies", "vectors"])
def test_changes(grid: Grid, properties: str) -> None:
    changes = dict(CHANGES)
    conditions = [text for text in CONDITIONS if "q.id" not in text]
    for number, condition in enumerate(conditions):
        if number % 3 == 0:
            rest = f"SELECT * FROM {{t}} AS q WHERE NOT coalesce({condition}, false)"
            changes[f"DELETE FROM {{t}} AS q WHERE {condition}"] = rest
        else:
            changed = f"SELECT {CHANGED.replace('{condition}', condition)} FROM {{t}} AS q"
            changes[f"UPDATE {{t}} AS q SET plain = 'u' WHERE {condition}"] = changed
    found = []
    at = 2 * COLLATIONS.index(grid.collation) + bool(properties)
    for change in sample(list(changes), at, 10):
        query = changes[change]
        expected = grid.of_spark(query)
        expected = expected if isinstance(expected, str) else expected[1]
        for way in WAYS:
            outcome = _changed(grid, way, change, properties)
            if outcome != expected:
                found.append(f"{way}: {change}\n  Spark: {expected}\n  found: {outcome}")
    assert not found, "\n".join(found)


def _changed(grid: Grid, way: str, change: str, properties: str) -> Any:
    """The rows of a copy of the table after the change, or the condition of the error."""
    session = grid.session
    session.sql(f"SET deltasql.compute = {way}")
    clause = f" TBLPROPERTIES ({properties})" if properties else ""
    session.sql(f"CREATE OR REPLACE TABLE changed SHALLOW CLONE t{clause}")
    done = grid.ours(change.format(t="changed", c=grid.collation))
    return done if isinstance(done, str) else grid.ours("SELECT * FROM changed")[1]
