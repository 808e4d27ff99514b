-- log: off

CREATE TABLE t (id INT, x DOUBLE, y DOUBLE, cell BIGINT, CONSTRAINT c CHECK (h3_resolution(cell) = 7));
-- name: rows that a constraint takes
INSERT INTO t SELECT id, x, y, h3_longlatash3(x, y, 7) FROM VALUES (1, 100, 45), (2, 100.01, 45.01), (3, -122.4783, 37.8199) AS s(id, x, y);
INSERT INTO t SELECT 4, 0, 0, h3_longlatash3(0, 0, 8);
SELECT id, h3_h3tostring(cell) FROM t WHERE h3_resolution(cell) = 7 ORDER BY id;
SELECT h3_toparent(cell, 4) AS parent, count(*) AS n FROM t GROUP BY h3_toparent(cell, 4) ORDER BY parent;
-- name: in views, functions, changes and other queries
CREATE VIEW v AS SELECT id, h3_toparent(h3_h3tostring(cell), 5) AS parent, h3_resolution(cell) + 1 AS finer FROM t;
SELECT * FROM v ORDER BY id;
CREATE FUNCTION coarse(c BIGINT) RETURNS BIGINT RETURN h3_toparent(c, 2);
SELECT DISTINCT coarse(cell) FROM t ORDER BY 1;
CREATE TABLE u (id INT, k STRING) CLUSTER BY (id);
INSERT INTO u SELECT id, h3_h3tostring(h3_toparent(cell, 3)) FROM t;
UPDATE u SET k = h3_toparent(k, 1) WHERE h3_resolution(k) = 3 AND id < 3;
MERGE INTO u USING (SELECT id, h3_toparent(cell, 2) AS c FROM t) AS s ON u.id = s.id WHEN MATCHED AND h3_resolution(u.k) = 3 THEN UPDATE SET k = h3_h3tostring(c) WHEN NOT MATCHED THEN INSERT (id, k) VALUES (s.id, h3_h3tostring(c));
SELECT * FROM u ORDER BY id;
DELETE FROM u WHERE h3_ischildof(k, h3_longlatash3string(100, 45, 0));
SELECT count(*) FROM u;
SELECT id, c FROM t LATERAL VIEW explode(h3_kring(cell, 1)) AS c WHERE id = 1 ORDER BY c LIMIT 2;
-- name: other engines could not compute a generated column
CREATE TABLE g (x DOUBLE, y DOUBLE, cell BIGINT GENERATED ALWAYS AS (h3_longlatash3(x, y, 7)));
-- name: an error in rows that are written
INSERT INTO u SELECT 9, h3_toparent('zoom', 1);
-- name: in VALUES, and not in a lambda and in the condition of an outer join
SELECT * FROM VALUES (h3_longlatash3(0, 0, 8)) AS v(cell);
MERGE INTO u USING t ON u.id = t.id AND h3_ischildof(t.cell, h3_stringtoh3(u.k)) WHEN MATCHED THEN DELETE;
SELECT transform(array(1, 2), k -> h3_resolution(k));
-- name: the functions of Python are hidden
SHOW USER FUNCTIONS;
