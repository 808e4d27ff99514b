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
INSERT INTO r VALUES (NULL, 2);
INSERT INTO r VALUES (0, 2);
-- name: wrong, rows that are there break it
ALTER TABLE r ADD CONSTRAINT c CHECK (b > 0);
ALTER TABLE r ADD CONSTRAINT c CHECK (a < 3);

-- name: wrong, the name is taken
ALTER TABLE t ADD CONSTRAINT POSITIVE CHECK (id > 1);
-- name: wrong, no such table
ALTER TABLE tt ADD CONSTRAINT c CHECK (id > 0);
-- name: wrong, no such column
ALTER TABLE t ADD CONSTRAINT c CHECK (idd > 0);
-- name: wrong, no such field
ALTER TABLE t ADD CONSTRAINT c CHECK (s.z > 0);
-- name: wrong, no condition
ALTER TABLE t ADD CONSTRAINT c CHECK (id + 1);
-- name: wrong, an aggregate
ALTER TABLE t ADD CONSTRAINT c CHECK (max(id) > 0);
-- name: wrong, a sub-query
ALTER TABLE t ADD CONSTRAINT c CHECK (id IN (SELECT 1));
-- name: wrong, chance
ALTER TABLE t ADD CONSTRAINT c CHECK (rand() < 2);
-- name: wrong, it is no property
ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.c' = 'id > 0');
-- name: wrong, keys
ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id);
ALTER TABLE t ADD CONSTRAINT c UNIQUE (id);
-- name: wrong, no parentheses
ALTER TABLE t ADD CONSTRAINT c CHECK id > 0;
-- name: wrong, no name
ALTER TABLE t ADD CONSTRAINT CHECK (id > 0);
-- name: wrong, the statement stops early
ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0;
