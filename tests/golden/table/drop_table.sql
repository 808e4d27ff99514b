-- expect: no jvm

CREATE TABLE t (id INT);
CREATE TABLE outside (id INT) LOCATION '${WAREHOUSE}/elsewhere';
-- name: plain
DROP TABLE t;
SHOW TABLES;
-- name: its place is free for another
CREATE TABLE t (other STRING);
DESCRIBE TABLE t;
-- name: PURGE, quotes, lower case
drop table `default`.`t` purge;
-- name: the files of an external table stay
DROP TABLE outside;
CREATE TABLE outside LOCATION '${WAREHOUSE}/elsewhere';
-- name: IF EXISTS
DROP TABLE IF EXISTS t;
