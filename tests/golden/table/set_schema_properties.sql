-- expect: no jvm

CREATE SCHEMA s WITH DBPROPERTIES ('a' = '1', 'b' = '2');
-- name: plain: one is changed, one is new
ALTER SCHEMA s SET DBPROPERTIES ('b' = '3', 'c' = '4');
DESCRIBE SCHEMA EXTENDED s;
-- name: DATABASE, PROPERTIES, upper case, comments; keys and values without quotes
alter /* a schema */ DATABASE S set PROPERTIES (x.y = true, n = 5, `A` = 'other') -- done
;
DESCRIBE SCHEMA EXTENDED s;
-- name: an empty value
ALTER SCHEMA s SET DBPROPERTIES ('a' = '');
DESCRIBE SCHEMA EXTENDED s;
