-- expect: no jvm

-- name: plain
CREATE TABLE t (id INT NOT NULL, name STRING, price DECIMAL(8,2) DEFAULT 9.99, day DATE, at TIMESTAMP, ratio DOUBLE, raw BINARY, code CHAR(3), ok BOOLEAN) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO t VALUES (1, 'it''s', 2.5, '2024-01-31', '2024-01-31 10:20:30.123456Z', 1e-3, X'00ff', 'ab', true), (-2, NULL, 1.005, NULL, NULL, NULL, NULL, NULL, NULL);
-- name: a column list permutes, the rest gets its default
INSERT INTO t (name, id) VALUES ('c', 3);
-- name: DEFAULT, in upper and lower case; comments; quoted names
insert /* rows */ into `T` (`ID`, Price) -- two columns
values (4, DEFAULT), (5L, default), (6, 7);
-- name: one column without brackets; texts that are one
INSERT INTO t (id) VALUES 7, (8);
INSERT INTO t (id, name) VALUES (9, 'one ' "two " r'\three'), (10, '\u00fc\t日本');
-- name: partitions
CREATE TABLE p (a INT, b STRING, c DATE) PARTITIONED BY (b, c);
INSERT INTO p VALUES (1, 'x/y', '2024-01-31'), (2, '', NULL), (3, 'x/y', '2024-01-31');
INSERT INTO p PARTITION (b = 'z', c) VALUES (4, '2024-02-29');
-- name: physical names, row ids, commit times
CREATE TABLE m (`a b` INT, c STRING) TBLPROPERTIES ('delta.columnMapping.mode' = 'id', 'delta.enableRowTracking' = 'true', 'delta.enableInCommitTimestamps' = 'true');
INSERT INTO m VALUES (1, 'x'), (2, NULL);
INSERT INTO m VALUES (3, 'y');
-- name: NULL in structs, arrays and maps
CREATE TABLE n (id INT, s STRUCT<`a b`: INT, c: STRUCT<d: DATE>>, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, DOUBLE>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
INSERT INTO n VALUES (1, NULL, NULL, NULL), (2, NULL, NULL, NULL);
INSERT INTO n (id) VALUES (3);
-- name: explained
EXPLAIN INSERT INTO p VALUES (1, 'x', '2024-01-31'), (2, NULL, NULL);
EXPLAIN EXTENDED INSERT INTO t (id) VALUES (1);
