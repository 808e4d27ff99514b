-- expect: no jvm

CREATE TABLE t (a SMALLINT, arr ARRAY<STRUCT<x: SMALLINT>>) TBLPROPERTIES ('delta.feature.typeWidening-preview' = 'supported', 'delta.enableTypeWidening' = 'true');
-- name: each change has the version that made it
ALTER TABLE t ALTER COLUMN a TYPE INT;
ALTER TABLE t ALTER COLUMN arr.element.x TYPE INT;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
