-- expect: no jvm

CREATE TABLE t (id INT) COMMENT 'described' TBLPROPERTIES ('a' = '1', 'b.c' = '2', 'D' = '3', 'delta.appendOnly' = 'true');
-- name: plain
ALTER TABLE t UNSET TBLPROPERTIES ('a');
-- name: several, lower case, names with dots
alter table t unset tblproperties (b.c, 'delta.appendOnly');
-- name: IF EXISTS allows unknown keys
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nothing', 'D');
-- name: comment
ALTER TABLE t UNSET TBLPROPERTIES ('comment');
SHOW TBLPROPERTIES t;
-- name: wrong, one of several is unknown
ALTER TABLE t SET TBLPROPERTIES ('known' = '1');
ALTER TABLE t UNSET TBLPROPERTIES ('known', 'nothing');
-- name: unknown keys are passed over where the session says so
SET deltasql.unsetProperties.strict = false;
ALTER TABLE t UNSET TBLPROPERTIES ('nothing');
