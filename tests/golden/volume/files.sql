-- expect: no jvm
CREATE TABLE t (id INT);
CREATE VOLUME files;
-- name: an empty one
LIST '/Volumes/spark_catalog/default/files';
-- name: a file goes in and out
INSERT INTO t VALUES (1), (2);
PUT '${WAREHOUSE}/t/_delta_log/00000000000000000000.json' INTO '/Volumes/spark_catalog/default/files/a/commit.json';
PUT '${WAREHOUSE}/t/_delta_log/00000000000000000000.json' INTO 'dbfs:/Volumes/spark_catalog/default/files/commit.json';
-- mask: size, modification_time
LIST '/Volumes/spark_catalog/default/files';
-- mask: size, modification_time
LIST '/Volumes/spark_catalog/DEFAULT/files/a/' LIMIT 5;
-- mask: size, modification_time
LIST '/Volumes/spark_catalog/default/files/commit.json';
LIST '/Volumes/spark_catalog/default/files' LIMIT 0;
PUT '${WAREHOUSE}/t/_delta_log/00000000000000000001.json' INTO '/Volumes/spark_catalog/default/files/commit.json' OVERWRITE;
GET '/Volumes/spark_catalog/default/files/commit.json' TO '${WAREHOUSE}/out/commit.json';
-- mask: size, modification_time
LIST '${WAREHOUSE}/out';
EXPLAIN REMOVE '/Volumes/spark_catalog/default/files/commit.json';
REMOVE '/Volumes/spark_catalog/default/files/commit.json';
LIST '/Volumes/spark_catalog/default/files';
-- name: tables in a volume
CREATE TABLE placed (id INT) LOCATION '/Volumes/spark_catalog/default/files/placed';
INSERT INTO placed VALUES (7);
SELECT * FROM delta.`/Volumes/spark_catalog/default/files/placed`;
SELECT * FROM delta.`dbfs:/Volumes/spark_catalog/default/files/placed` VERSION AS OF 0;
