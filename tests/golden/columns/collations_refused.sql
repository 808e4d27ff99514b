-- expect: no jvm

-- name: no such collation
CREATE TABLE plain (a STRING);
-- name: no partitions and no clusters
CREATE TABLE parted (a STRING, b INT) PARTITIONED BY (a);
ALTER TABLE parted ALTER COLUMN a TYPE STRING COLLATE UNICODE;
CREATE TABLE clustered (a STRING, b INT) CLUSTER BY (a);
ALTER TABLE clustered ALTER COLUMN a TYPE STRING COLLATE UNICODE;
CREATE TABLE keyed (a STRING, b STRING GENERATED ALWAYS AS (lower(a)));
ALTER TABLE keyed ALTER COLUMN a TYPE STRING COLLATE UNICODE;
-- name: the feature alone
ALTER TABLE plain SET TBLPROPERTIES ('delta.feature.collations' = 'supported');
ALTER TABLE plain DROP FEATURE collations;
