-- expect: no jvm

-- name: a temporary view needs no Spark until it is read
CREATE TEMPORARY VIEW v AS SELECT 1 AS one;
-- name: again
CREATE OR REPLACE TEMP VIEW V AS SELECT 2 AS two;
-- name: wrong, exists
CREATE TEMPORARY VIEW v AS SELECT 3 AS three;
-- name: dropped
DROP VIEW v;
-- name: wrong, what a view is not
CREATE TEMPORARY VIEW w AS SELECT 1 AS one;
DELETE FROM w;
UPDATE w SET one = 2;
INSERT INTO w VALUES (1);
MERGE INTO w USING w AS s ON false WHEN NOT MATCHED THEN INSERT *;
ALTER TABLE w ADD COLUMN a INT;
TRUNCATE TABLE w;
