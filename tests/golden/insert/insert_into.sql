CREATE TABLE t (id INT NOT NULL, name STRING, day DATE);
-- name: plain, by position
INSERT INTO t VALUES (1, 'a', DATE '2024-01-01'), (2, 'b', NULL);
-- name: TABLE may be said; a query
INSERT INTO TABLE t SELECT id + 10, upper(name), day FROM t;
-- name: a column list permutes, and leaves the others NULL
INSERT INTO t (name, id) VALUES ('c', 3);
-- name: BY NAME
INSERT INTO t BY NAME SELECT 'd' AS NAME, 4 AS id;
-- name: upper and lower case, comments, quotes
insert /* rows */ into `default`.`T` (`ID`, Name) -- two columns
values (5, 'e');
-- name: with a CTE
WITH s AS (SELECT 6 AS id, 'f' AS name) INSERT INTO t (id, name) SELECT * FROM s;
-- name: a CTE of the query
INSERT INTO t (id, name) WITH s AS (SELECT 7 AS id, 'g' AS name) SELECT * FROM s;
-- name: TABLE as the query
CREATE TABLE copy (id INT, name STRING, day DATE);
INSERT INTO copy TABLE t;
-- name: FROM first
INSERT INTO copy FROM t SELECT id + 100, name, day WHERE id = 1;
-- name: DEFAULT as a value
INSERT INTO t VALUES (8, DEFAULT, DEFAULT);
-- name: no rows, no commit
INSERT INTO t SELECT * FROM copy WHERE false;
-- name: values are cast to the columns' types
INSERT INTO t VALUES ('9', 9.5D, '2024-02-29');
SELECT * FROM t;
SELECT * FROM copy ORDER BY id DESC LIMIT 3;

-- name: wrong, too few columns
INSERT INTO t VALUES (1, 'a');
-- name: wrong, too many columns
INSERT INTO t VALUES (1, 'a', NULL, 2);
-- name: wrong, fewer values than the list names
INSERT INTO t (id, name) VALUES (1);
-- name: wrong, more values than the list names
INSERT INTO t (id) SELECT 1, 2;
-- name: wrong, no such column in the list
INSERT INTO t (id, nmae) VALUES (1, 'a');
-- name: wrong, a column twice in the list
INSERT INTO t (id, name, ID) VALUES (1, 'a', 2);
-- name: wrong, a nested field in the list
INSERT INTO t (id, name.x) VALUES (1, 'a');
-- name: wrong, BY NAME with a column that the table lacks
INSERT INTO t BY NAME SELECT 1 AS id, 2 AS other;
-- name: wrong, BY NAME with a column twice
INSERT INTO t BY NAME SELECT 1 AS id, 2 AS ID;
-- name: wrong, NOT NULL left out
INSERT INTO t (name) VALUES ('x');
-- name: wrong, NULL for NOT NULL
INSERT INTO t VALUES (NULL, 'x', NULL);
-- name: wrong, text that is no number
INSERT INTO t VALUES ('nine', 'x', NULL);
-- name: wrong, a number that is too big
INSERT INTO t VALUES (3000000000, 'x', NULL);
-- name: wrong, no such table
INSERT INTO tt VALUES (1);
-- name: wrong, no such table in the query
INSERT INTO t SELECT * FROM missing;
-- name: wrong, no such column in the query
INSERT INTO t SELECT nothing, 'x', NULL FROM copy;
-- name: wrong, a list and BY NAME
DESCRIBE HISTORY t LIMIT 1;
