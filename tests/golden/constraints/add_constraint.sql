CREATE TABLE t (id INT, s STRUCT<x: INT, y: STRING>, list ARRAY<INT>, `odd name` STRING, day DATE) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- name: plain
ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0);
-- name: nested, a function, several columns
ALTER TABLE t ADD CONSTRAINT nested CHECK (s.x BETWEEN 1 AND 9 AND length(s.y) < 5 OR size(list) = 0);
-- name: quoted, upper case, comments
alter /* a table */ TABLE T add CONSTRAINT `In Order` CHECK (/* a name */ `odd name` IN ('a', 'it''s') -- done
);
-- name: the time
ALTER TABLE t ADD CONSTRAINT past CHECK (day <= current_date());
SHOW TBLPROPERTIES t;
-- name: NULL is not TRUE: rows are held to it
-- log: off
CREATE TABLE r (a INT, b INT);
ALTER TABLE r ADD CONSTRAINT positive CHECK (a > 0);
-- log: off
INSERT INTO r VALUES (1, 2), (3, NULL);
-- name: wrong, no such column
ALTER TABLE t ADD CONSTRAINT c CHECK (idd > 0);
-- name: wrong, no such field
ALTER TABLE t ADD CONSTRAINT c CHECK (s.z > 0);
