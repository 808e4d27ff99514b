-- log: off
-- UPDATE SET * EXCEPT leaves a column as it is, INSERT * EXCEPT writes NULL to it.

CREATE TABLE books (id INT, title STRING, last_updated STRING);
INSERT INTO books VALUES (1, 'old', 'before'), (2, 'other', 'before');
CREATE TEMPORARY VIEW news AS SELECT * FROM VALUES (1, 'new', 'good', 'now'), (3, 'third', 'fine', 'now') AS v(id, title, review, last_updated);
-- name: seed, EXCEPT example 1 (4.4 row 1), evolution off: date set; new rows id, title; review ignored
MERGE INTO books t USING news s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = 'today' WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);
SELECT * FROM books;
-- name: seed, EXCEPT example 1 (4.4 row 1), evolution on: adds review; new rows all but last_updated
MERGE WITH SCHEMA EVOLUTION INTO books t USING (SELECT id + 1 AS id, title, review, last_updated FROM news) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = 'tomorrow' WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);
SELECT * FROM books;
-- name: seed, EXCEPT with current_date() as in the document
MERGE INTO books t USING news s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = current_date() WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);
SELECT id, last_updated = cast(current_date() AS STRING) AS is_today FROM books WHERE id IN (1, 3);

CREATE TABLE books2 (id INT, title STRING, last_updated STRING);
INSERT INTO books2 VALUES (1, 'old', 'before'), (2, 'other', 'before');
CREATE TEMPORARY VIEW counted AS SELECT * FROM VALUES (1, 'new', 'good', 5), (3, 'third', 'fine', 6) AS v(id, title, review, internal_count);
-- name: seed, EXCEPT example 2 (4.4 row 2), evolution off: internal_count is no column of the table
SELECT * FROM books2;
-- name: section 4.4, example 2 without internal_count, evolution off: last_updated needs no source column
MERGE INTO books2 t USING (SELECT * FROM counted WHERE id = 3) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = 'today' WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);
SELECT * FROM books2;
-- name: seed, EXCEPT example 2 (4.4 row 2), evolution on: adds review, not internal_count; last_updated NULL
MERGE WITH SCHEMA EVOLUTION INTO books2 t USING (SELECT id * 4 - 3 AS id, title, review, internal_count FROM counted) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = 'today' WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated, internal_count);
SELECT * FROM books2;

CREATE TABLE p (key INT, value STRING, protected STRING);
INSERT INTO p VALUES (1, 'a', 'secret'), (2, 'b', 'secret');
CREATE TEMPORARY VIEW q AS SELECT * FROM VALUES (2, 'B', 'lost', 'x'), (3, 'C', 'lost', 'x') AS v(key, value, protected, extra);
-- name: section 4.4, UPDATE SET * EXCEPT, evolution off: protected stays as it is
MERGE INTO p t USING q s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * EXCEPT (protected) WHEN NOT MATCHED THEN INSERT * EXCEPT (PROTECTED);
SELECT * FROM p;
-- name: section 4.4, EXCEPT of the key, upper case and quotes
merge into p as t using (select key - 1 as key, 'k' as value, 'lost' as protected from q) as s on t.key = s.key
when matched then update set * except (`KEY`, Protected);
SELECT * FROM p;
-- name: section 4.4, evolution off: a name that is in neither
MERGE INTO p t USING q s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (nonsense);
-- name: section 4.4, evolution off: a name of the source alone
MERGE INTO p t USING q s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (extra);
-- name: section 4.4, evolution on: a name that is in neither
MERGE WITH SCHEMA EVOLUTION INTO p t USING q s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (nonsense);
-- name: section 4.4, evolution off: what is left must be in the source
MERGE INTO p t USING (SELECT key, extra FROM q) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (protected);
-- name: section 4.4, EXCEPT of everything: UPDATE changes nothing, INSERT writes a row of NULLs; names twice
MERGE INTO p t USING (SELECT * FROM q WHERE key > 2 UNION ALL SELECT 9, 'n', 'n', 'n') s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * EXCEPT (key, value, protected, key) WHEN NOT MATCHED THEN INSERT * EXCEPT (key, value, protected);
SELECT * FROM p;
-- name: section 4.4, evolution on: excluded by one clause, added by the other; NULL in inserted rows
MERGE WITH SCHEMA EVOLUTION INTO p t USING (SELECT * FROM q UNION ALL SELECT 5, 'n', 'n', 'n') s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * EXCEPT (extra);
SELECT * FROM p;
-- name: section 4.4, evolution on: UPDATE SET * EXCEPT of a new column does not add it
MERGE WITH SCHEMA EVOLUTION INTO p t USING (SELECT *, 1 AS internal FROM q) s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * EXCEPT (internal, value);
SELECT * FROM p;

CREATE TABLE nn (key INT, value STRING NOT NULL);
-- name: section 4.4, INSERT * EXCEPT of a NOT NULL column
MERGE INTO nn t USING q s ON t.key = s.key WHEN NOT MATCHED THEN INSERT * EXCEPT (value);

CREATE TABLE part (key INT, value STRING, day STRING) PARTITIONED BY (day);
INSERT INTO part VALUES (1, 'a', 'mon'), (2, 'b', 'tue');
-- name: section 4.4, EXCEPT of a partition column
MERGE INTO part t USING (SELECT 2 AS key, 'B' AS value, 'wed' AS day UNION ALL SELECT 3, 'C', 'wed') s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * EXCEPT (day) WHEN NOT MATCHED THEN INSERT * EXCEPT (day);
SELECT * FROM part;

CREATE TABLE nest AS SELECT 1 AS key, named_struct('a', 'a1', 'b', 'b1') AS x;
-- name: section 4.4, EXCEPT of a nested field: x.b stays, and is NULL in a new row
MERGE INTO nest t USING (SELECT * FROM VALUES (1, named_struct('a', 'A', 'b', 'B')), (2, named_struct('a', 'A', 'b', 'B')) AS v(key, x)) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET * EXCEPT (x.b) WHEN NOT MATCHED THEN INSERT * EXCEPT (x.b);
SELECT * FROM nest;
-- name: a struct column that is called like the source's alias
CREATE TABLE st (k INT, s STRUCT<a: INT, b: INT>);
INSERT INTO st SELECT 1, named_struct('a', 1, 'b', 2);
MERGE WITH SCHEMA EVOLUTION INTO st t USING (SELECT 1 AS k, named_struct('a', 5, 'b', 6, 'c', 7) AS s) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * EXCEPT (s.b);
MERGE WITH SCHEMA EVOLUTION INTO st t USING (SELECT 1 AS k, named_struct('a', 50, 'd', 8) AS s) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.a = s.s.a, s.d = s.s.d;
MERGE WITH SCHEMA EVOLUTION INTO st t USING (SELECT 1 AS k, 4 AS n) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.n = s.n;
MERGE WITH SCHEMA EVOLUTION INTO st t USING (SELECT 1 AS k, 4 AS n) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.nope = 1;
MERGE INTO st AS s USING (SELECT 1 AS k) x ON s.k = x.k WHEN MATCHED THEN UPDATE SET s.a = 77;
SELECT * FROM st;
-- name: a struct column that is called like the table
CREATE TABLE one (id INT, one STRUCT<a: INT>);
INSERT INTO one SELECT 1, named_struct('a', 1);
INSERT INTO one REPLACE WHERE one.a = 1 SELECT 2, named_struct('a', 1);
SELECT * FROM one;
