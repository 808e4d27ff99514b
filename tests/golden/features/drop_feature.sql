-- expect: no jvm

CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.checkpointPolicy' = 'v2');
-- name: for writers alone: at once
ALTER TABLE t DROP FEATURE rowTracking;
-- name: upper case, a string
alter table default.`t` drop feature 'DOMAINMETADATA';
-- name: for readers too: versions before it are guarded
ALTER TABLE t DROP FEATURE /* a comment */ `v2Checkpoint`;
-- name: the guard stays as long as they do
ALTER TABLE t DROP FEATURE checkpointProtection TRUNCATE HISTORY;

CREATE TABLE h (id INT) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2');
-- name: with the history: what uses it goes first
ALTER TABLE h DROP FEATURE v2Checkpoint TRUNCATE HISTORY;
-- name: and a day later the rest
ALTER TABLE h DROP FEATURE v2Checkpoint TRUNCATE HISTORY;
-- name: nothing in the history
CREATE TABLE n (id INT) TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported');
ALTER TABLE n DROP FEATURE vacuumProtocolCheck TRUNCATE HISTORY;

-- name: timestamps of commits, deletion vectors and column mapping of a table without rows
CREATE TABLE e (id INT) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true', 'delta.columnMapping.mode' = 'name');
ALTER TABLE e DROP FEATURE inCommitTimestamp;
EXPLAIN ALTER TABLE e DROP FEATURE columnMapping;
ALTER TABLE e DROP FEATURE columnMapping;

-- name: wrong, constraints are left
CREATE TABLE c (id INT) TBLPROPERTIES ('delta.minWriterVersion' = '3');
ALTER TABLE c DROP FEATURE checkConstraints;
-- name: wrong, names that only column mapping allows
CREATE TABLE m (`a b` INT, s STRUCT<`c;d`: INT>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: wrong, no history to truncate
CREATE TABLE r (id INT) TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported');
