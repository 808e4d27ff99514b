-- SET MANAGED and UNSET MANAGED, where no file would move.
-- expect: no jvm
-- log: off
CREATE TABLE t (a INT);
CREATE TABLE e (a INT) LOCATION '${WAREHOUSE}/elsewhere';
-- name: it is so already
ALTER TABLE t SET MANAGED;
alter table `default`.`t` set managed truncate history; -- quoted
ALTER TABLE t SET MANAGED MOVE;
ALTER TABLE e UNSET MANAGED;
-- name: files would move
ALTER TABLE e SET MANAGED;
ALTER TABLE t UNSET MANAGED;
-- name: missing, a view, a path
ALTER TABLE missing SET MANAGED;
CREATE VIEW v AS SELECT 1 AS a;
ALTER TABLE v SET MANAGED;
ALTER TABLE delta.`${WAREHOUSE}/t` SET MANAGED;
