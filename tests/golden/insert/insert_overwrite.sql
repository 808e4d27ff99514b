CREATE TABLE t (id INT, name STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- name: plain
INSERT OVERWRITE t VALUES (3, 'c');
-- name: TABLE, a list, the table itself as the source
INSERT OVERWRITE TABLE t (name, id) SELECT name, id + 1 FROM t;
SELECT * FROM t;
-- name: BY NAME, no rows: the table is empty afterwards
insert overwrite t by name select 1 as id, 'x' as name where false;
SELECT * FROM t;

CREATE TABLE p (id INT, day STRING, hour INT) PARTITIONED BY (day, hour);
-- name: partitions by position: they are columns like the others
INSERT INTO p VALUES (1, 'mon', 1), (2, 'mon', 2), (3, 'tue', 1);
-- name: PARTITION gives constants
INSERT INTO p PARTITION (day = 'wed', hour = 3) VALUES (4);
-- name: PARTITION with one constant; the other comes from the query
INSERT INTO p PARTITION (day = 'wed', hour) SELECT 5, 4;
-- name: OVERWRITE of one partition
INSERT OVERWRITE p PARTITION (day = 'mon', hour = 2) VALUES (20);
-- name: OVERWRITE of a prefix
INSERT OVERWRITE TABLE p PARTITION (day = 'wed', hour) SELECT 50, 5;
SELECT * FROM p;
-- name: dynamic: only the partitions that the rows fall into
SET spark.sql.sources.partitionOverwriteMode = DYNAMIC;
INSERT OVERWRITE p VALUES (30, 'tue', 1), (31, 'thu', 1);
RESET spark.sql.sources.partitionOverwriteMode;
SELECT * FROM p;
-- name: static again: all of it
INSERT OVERWRITE p VALUES (1, NULL, 1), (2, '', 2);
SELECT * FROM p;
SHOW PARTITIONS p;
-- name: wrong, append-only
ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = true);
INSERT OVERWRITE t VALUES (1, 'a');
