-- expect: no jvm

CREATE SCHEMA s WITH DBPROPERTIES ('a' = '1', 'b' = '2', 'x.y' = '3', 'd' = '4');
-- name: plain
ALTER SCHEMA s UNSET DBPROPERTIES ('a');
-- name: DATABASE, PROPERTIES, upper case, comments; several, without quotes
alter /* a schema */ DATABASE S unset PROPERTIES (x.y, b) -- done
;
DESCRIBE SCHEMA EXTENDED s;
-- name: one that is not there
ALTER SCHEMA s UNSET DBPROPERTIES ('a');
-- name: IF EXISTS
ALTER SCHEMA s UNSET DBPROPERTIES IF EXISTS ('a', 'd');
DESCRIBE SCHEMA EXTENDED s;
