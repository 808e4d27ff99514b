-- log: off

CREATE TABLE t (id INT, name STRING) TBLPROPERTIES ('delta.enableRowTracking' = 'true');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t VALUES (3, 'c');
CREATE TABLE plain AS SELECT 1 AS id, 'x' AS name;
CREATE TABLE own AS SELECT 1 AS id, 'mine' AS _metadata;
CREATE TABLE parted (id INT, p INT) PARTITIONED BY (p)
  TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO parted VALUES (1, 1), (2, 1), (3, 2), (4, NULL);

-- name: ids and versions
SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t ORDER BY id;
-- name: the numbers of the file that they come from
SELECT id, _metadata.base_row_id, _metadata.default_row_commit_version, _metadata.row_index FROM t ORDER BY id;
-- name: it is not part of a star
SELECT * FROM t WHERE _metadata.row_id = 2;
SELECT *, _metadata.row_id FROM t ORDER BY id;
SELECT t.*, `_METADATA`.row_id FROM t ORDER BY id;
SELECT * EXCEPT (name), _metadata.row_id FROM t ORDER BY id;
-- name: upper case, a comment, an alias
SELECT X.ID, /* the id */ X._METADATA.ROW_ID FROM default.t AS X ORDER BY 1;
-- name: a longer name
SELECT default.t._metadata.row_id FROM default.t ORDER BY 1;
-- name: two tables
SELECT *, a._metadata.row_id, b._metadata.row_id FROM t AS a JOIN t AS b ON a.id + 1 = b.id ORDER BY 1;
SELECT a.*, b._metadata.row_id FROM t AS a JOIN t AS b USING (id) ORDER BY 1;
SELECT *, a._metadata.row_id FROM t AS a NATURAL JOIN plain;
-- name: in one part of a query alone
SELECT * FROM (SELECT *, _metadata.row_id AS rid FROM t) AS q JOIN t USING (id) ORDER BY 1;
SELECT * FROM t WHERE id = 1 UNION ALL SELECT _metadata.row_id, name FROM t WHERE id = 3 ORDER BY 2;
WITH numbered AS (SELECT _metadata.row_id AS rid, * FROM t) SELECT * FROM numbered ORDER BY rid;
SELECT id, (SELECT max(_metadata.row_id) FROM t) AS last FROM plain;
-- name: counted
SELECT count(*), max(_metadata.row_id) FROM t;
-- name: partitions and column mapping
SELECT id, p, _metadata.row_id - _metadata.base_row_id = _metadata.row_index AS holds FROM parted ORDER BY id;
SELECT count(DISTINCT _metadata.row_id), min(_metadata.row_id), max(_metadata.row_id) FROM parted;
SELECT count(DISTINCT _metadata.row_id) FROM parted WHERE p = 1;
-- name: as of a version
SELECT id, _metadata.row_id FROM t VERSION AS OF 1 ORDER BY id;
-- name: an empty table
SELECT _metadata.row_id, _metadata.file_name FROM t VERSION AS OF 0;
-- name: a table that does not track its rows has files all the same
SELECT *, _metadata.file_name LIKE '%.parquet' AS parquet, _metadata.row_index FROM plain;
-- name: a column of one's own comes first
SELECT *, _metadata FROM own;
-- name: a view
CREATE TEMPORARY VIEW v AS SELECT *, _metadata.row_id AS rid FROM t;
SELECT * FROM v ORDER BY rid;
-- name: ids are kept by a table that no longer promises them
ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false');
-- name: wrong, rows without ids
SELECT _metadata.row_id FROM plain;
-- name: wrong, no such field
SELECT _metadata.nothing FROM parted;
-- name: wrong, of which table
SELECT _metadata.row_id FROM parted AS a JOIN parted AS b USING (id);
-- name: wrong, a view does not pass it on
SELECT _metadata.row_id FROM v;
