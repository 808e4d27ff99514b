-- mask: /"size_in_bytes":\d+|Size in Bytes \| \d+|Statistics: \d+/

-- log: off
CREATE TABLE t (
  id BIGINT NOT NULL COMMENT 'it''s', s STRUCT<a: ARRAY<DECIMAL(5, 2)>, m: MAP<STRING, DOUBLE>>, v VARCHAR(5), c CHAR(3), ts TIMESTAMP, n TIMESTAMP_NTZ, x BINARY,
  day DATE, `odd-name` STRING, PRIMARY KEY (id)
) PARTITIONED BY (day, `odd-name`) COMMENT 'some' TBLPROPERTIES ('k' = 'v', 'api_token' = 'hush');
-- log: off
CREATE TABLE p (id INT, p STRING, q INT) PARTITIONED BY (p, q);
-- log: off
INSERT INTO p VALUES (1, 'a', 1), (2, 'it''s', 2), (3, NULL, 1);
-- name: plain
DESCRIBE EXTENDED t AS JSON;
-- name: quoted, upper case, comments, by its place
desc /* a */ table formatted delta.`${WAREHOUSE}/p` as -- text
json;
-- name: a version of the past
DESCRIBE EXTENDED p@v0 AS JSON;
-- name: a partition
DESCRIBE EXTENDED p PARTITION (P = 'it''s', q = 2) AS JSON;
DESCRIBE p PARTITION (p = 'a');
DESCRIBE EXTENDED p PARTITION (p = NULL);
SHOW TABLE EXTENDED LIKE 'p' PARTITION (q = 1);
SHOW PARTITIONS p PARTITION (q = 1);
-- name: columns called like the words
-- log: off
CREATE TABLE words (partition INT, json INT);
DESCRIBE words partition;
DESCRIBE words json;
