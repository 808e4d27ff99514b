-- MERGE … * EXCEPT (…): all columns but some.
-- Without evolution EXCEPT takes away from the target's columns; with evolution from the source's, so that a column
-- named there is not added to the target either.
-- log: off

CREATE TABLE books (id INT, title STRING, last_updated DATE);

INSERT INTO books VALUES (1, 'Emma', DATE '2001-01-01'), (2, 'Ulysses', DATE '2001-01-01');

CREATE TABLE reviews (id INT, title STRING, review STRING, last_updated DATE);

INSERT INTO reviews VALUES
  (2, 'Ulysses', 'long', DATE '2024-06-16'),
  (3, 'Dubliners', 'short', DATE '2024-06-16');

-- name: without evolution: review is not in the target, last_updated of the new row is NULL
MERGE INTO books t
USING reviews s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = DATE '2024-06-17'
WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);

SELECT * FROM books;

-- name: with evolution: review is added and filled in the new row
MERGE WITH SCHEMA EVOLUTION INTO books t
USING (SELECT id + 1 AS id, title, review, last_updated FROM reviews) s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = DATE '2024-06-18'
WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated);

SELECT * FROM books;

CREATE TABLE shelf (id INT, title STRING, last_updated DATE);

INSERT INTO shelf VALUES (1, 'Emma', DATE '2001-01-01');

CREATE TABLE counted (id INT, title STRING, review STRING, internal_count INT);

INSERT INTO counted VALUES (1, 'Emma', 'witty', 7), (2, 'Persuasion', 'wise', 9);

-- name: without evolution: EXCEPT may name target columns only
MERGE INTO shelf t
USING counted s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = DATE '2024-06-17'
WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated, internal_count);

-- name: with evolution: review is added, internal_count is not
MERGE WITH SCHEMA EVOLUTION INTO shelf t
USING counted s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET last_updated = DATE '2024-06-17'
WHEN NOT MATCHED THEN INSERT * EXCEPT (last_updated, internal_count);

SELECT * FROM shelf;

-- name: UPDATE SET * EXCEPT keeps a column from being overwritten
MERGE INTO shelf t
USING (SELECT 1 AS id, 'Emma, revised' AS title, 'n/a' AS review) s
ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * EXCEPT (review, last_updated);

SELECT * FROM shelf;
