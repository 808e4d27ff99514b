-- name: tables that last as long as the session
CREATE TEMPORARY TABLE staging AS SELECT * FROM VALUES (2, 'two'), (3, 'three'), (4, 'four') AS v(id, name);
CREATE TABLE other (c INT);
-- name: views of the session read it, and change it
CREATE TEMPORARY VIEW of_session AS SELECT id FROM staging WHERE id > 2;
SELECT * FROM of_session ORDER BY id;
CREATE TEMPORARY VIEW whole AS SELECT * FROM staging;
DELETE FROM whole WHERE id = 4;
SELECT id FROM staging ORDER BY id;
-- name: a view that was made before reads what it read then
CREATE TEMPORARY VIEW before AS SELECT c FROM other;
SELECT * FROM before;
CREATE TEMPORARY TABLE other AS SELECT 'temporary' AS c;
SELECT * FROM other;
SELECT * FROM before;
-- name: joins, sub-queries, functions of the session
SELECT s.name, t.name FROM staging AS s JOIN staging AS t ON s.id + 1 = t.id;
SELECT name FROM staging WHERE id = (SELECT max(id) FROM staging);
CREATE TEMPORARY FUNCTION greatest_id() RETURNS INT RETURN (SELECT max(id) FROM staging);
SELECT greatest_id();
WITH staging AS (SELECT 1 AS id) SELECT * FROM staging;
CREATE TABLE copied AS SELECT id, upper(name) AS name FROM staging WHERE id > 1;
SELECT * FROM copied ORDER BY id;
-- name: wrong, functions of the catalog
CREATE FUNCTION lasting() RETURNS INT RETURN (SELECT max(id) FROM staging);
