-- expect: no jvm

CREATE TABLE t (id INT) COMMENT 'described' TBLPROPERTIES ('a' = '1', 'b.c' = '2', 'D' = '3', 'delta.appendOnly' = 'true');
-- name: plain
ALTER TABLE t UNSET TBLPROPERTIES ('a');
-- name: several, lower case, names with dots
alter table t unset tblproperties (b.c, 'delta.appendOnly');
-- name: keys of one's own are told apart by case
ALTER TABLE t UNSET TBLPROPERTIES ('d');
-- name: IF EXISTS allows unknown keys
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nothing', 'D');
-- name: comment
ALTER TABLE t UNSET TBLPROPERTIES ('comment');
SHOW TBLPROPERTIES t;
-- name: unknown keys are passed over, as in Delta on Spark
ALTER TABLE t UNSET TBLPROPERTIES ('nothing');
-- name: wrong, unknown key, when the session is strict
SET deltasql.unsetProperties.strict = true;
ALTER TABLE t UNSET TBLPROPERTIES ('nothing');
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nothing');
-- name: wrong, no such table
ALTER TABLE missing UNSET TBLPROPERTIES ('a');
