-- SHOW TABLES DROPPED: managed tables that UNDROP TABLE can bring back, the latest first.
-- expect: no jvm
-- log: off
CREATE SCHEMA s;
CREATE TABLE s.t (a INT);
CREATE TABLE s.`a-b` (a INT);
CREATE TABLE u (a INT);
SHOW TABLES DROPPED IN s;
DROP TABLE s.t;
DROP TABLE s.`a-b`;
DROP TABLE u;
-- mask: /[0-9a-f]{32} .*/
SHOW TABLES DROPPED IN s;
-- mask: /[0-9a-f]{32} .*/
show tables dropped from `spark_catalog`.`s` limit 1; -- the latest
-- mask: /[0-9a-f]{32} .*/
SHOW TABLES DROPPED;
SHOW TABLES DROPPED LIMIT 0;
UNDROP TABLE u;
SHOW TABLES DROPPED;
-- name: wrong
SHOW TABLES DROPPED IN missing;
SHOW TABLES DROPPED LIMIT;
SHOW TABLES DROPPED LIKE 'a';
