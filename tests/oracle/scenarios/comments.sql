-- name: of a table
CREATE TABLE t (a INT) USING delta COMMENT 'old';
COMMENT ON TABLE t IS 'new';
COMMENT ON TABLE t IS '';

-- name: of a column
CREATE TABLE t (a INT COMMENT 'old', b STRING) USING delta;
-- differs: comment-on-column
COMMENT ON COLUMN t.a IS 'new';
-- differs: comment-on-column
COMMENT ON COLUMN t.B IS 'it''s';
-- differs: comment-on-column
DESCRIBE t;
-- state differs: comment-on-column

-- name: of a column, taken away
CREATE TABLE t (a INT COMMENT 'old') USING delta;
-- differs: comment-on-column
COMMENT ON COLUMN t.a IS NULL;
-- differs: comment-on-column
DESCRIBE t;
-- state differs: comment-on-column

-- name: of a nested field
CREATE TABLE t (s STRUCT<x: INT, y: STRUCT<z: INT>>) USING delta;
ALTER TABLE t ALTER COLUMN s.y.z COMMENT 'deep';

-- name: of a column that is not there
CREATE TABLE t (a INT) USING delta;
-- differs: comment-on-column DELTA_COLUMN_NOT_FOUND_IN_SCHEMA
COMMENT ON COLUMN t.nope IS 'x';
-- differs: comment-on-column TABLE_OR_VIEW_NOT_FOUND
COMMENT ON COLUMN nothing_here.a IS 'x';

-- name: of a schema
CREATE SCHEMA comments_one COMMENT 'old';
COMMENT ON SCHEMA comments_one IS 'new';
DROP SCHEMA comments_one;
COMMENT ON SCHEMA comments_one IS 'gone';
