-- expect: no jvm
-- log: off

CREATE TABLE t (a INT, p INT) PARTITIONED BY (p);
-- name: options are properties
CREATE TABLE o (a INT) USING delta OPTIONS ('x' = 'y');
SHOW TBLPROPERTIES o;
-- name: constraints without a name
CREATE TABLE c (a INT CHECK (a > 0), b INT CONSTRAINT check_1 CHECK (b > 0), check INT, CHECK (a < b), primary INT);
SHOW TBLPROPERTIES c;
