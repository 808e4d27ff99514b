-- expect: no jvm

-- log: off
CREATE TABLE p (id INT NOT NULL, b BIGINT NOT NULL, s STRUCT<a: INT>, PRIMARY KEY (id));
-- log: off
CREATE TABLE two (a INT, b INT, PRIMARY KEY (a, b));
-- log: off
CREATE TABLE t (id INT, b BIGINT, c INT NOT NULL, s STRUCT<a: INT>, CONSTRAINT positive CHECK (c > 0));
CREATE TEMPORARY VIEW v AS SELECT 1 AS id;
-- name: a column that may hold NULL
ALTER TABLE t ADD PRIMARY KEY (c, id);
-- name: no such column
ALTER TABLE t ADD PRIMARY KEY (cc);
-- name: a field
ALTER TABLE t ADD PRIMARY KEY (s.a);
-- name: twice
ALTER TABLE t ADD PRIMARY KEY (c, C);
-- name: a second primary key
ALTER TABLE p ADD CONSTRAINT again PRIMARY KEY (b);
CREATE TABLE x (a INT PRIMARY KEY, b INT PRIMARY KEY);
-- name: two columns of time
CREATE TABLE x (a TIMESTAMP, b TIMESTAMP, PRIMARY KEY (a TIMESERIES, b TIMESERIES));
-- name: names that are taken
ALTER TABLE t ADD CONSTRAINT POSITIVE PRIMARY KEY (c);
ALTER TABLE p ADD CONSTRAINT p_pk CHECK (id > 0);
CREATE TABLE x (a INT, CONSTRAINT c CHECK (a > 0), CONSTRAINT c PRIMARY KEY (a));
-- name: no such table
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES pp;
ALTER TABLE tt ADD FOREIGN KEY (id) REFERENCES p;
-- name: a view
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES v;
ALTER TABLE v ADD PRIMARY KEY (id);
-- name: the table has no primary key
ALTER TABLE p ADD FOREIGN KEY (id) REFERENCES t;
-- name: other columns than its primary key
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES p (b);
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES p (nothing);
-- name: another number of columns
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES two;
-- name: another type
ALTER TABLE t ADD CONSTRAINT fk FOREIGN KEY (b) REFERENCES p;
-- name: the columns have one
-- log: off
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES p;
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES p (id);
-- name: options that would need a check
ALTER TABLE t ADD PRIMARY KEY (c) ENFORCED;
ALTER TABLE t ADD FOREIGN KEY (c) REFERENCES p ON DELETE CASCADE;
ALTER TABLE t ADD FOREIGN KEY (c) REFERENCES p MATCH SIMPLE;
ALTER TABLE t ADD PRIMARY KEY (c) MATCH FULL;
-- name: options that do not go together
ALTER TABLE t ADD PRIMARY KEY (c) RELY NOT ENFORCED NORELY;
ALTER TABLE t ADD PRIMARY KEY (c) DEFERRABLE DEFERRABLE;
-- name: an option without a key
CREATE TABLE x (a INT NOT NULL RELY);
-- name: UNIQUE
ALTER TABLE t ADD CONSTRAINT u UNIQUE (c);
CREATE TABLE x (a INT UNIQUE, b INT);
-- name: what a key depends on
-- log: off
ALTER TABLE p SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE p DROP COLUMN id;
ALTER TABLE p ALTER COLUMN id DROP NOT NULL;
ALTER TABLE p REPLACE COLUMNS (b BIGINT NOT NULL, s STRUCT<a: INT>);
ALTER TABLE p REPLACE COLUMNS (id INT, b BIGINT NOT NULL, s STRUCT<a: INT>);
ALTER TABLE p RENAME COLUMN id TO number;
ALTER TABLE p RENAME TO parents;
-- name: nobody sets them by hand
ALTER TABLE p SET TBLPROPERTIES ('deltasql.keys' = '[]');
ALTER TABLE p UNSET TBLPROPERTIES ('deltasql.keys');
-- name: the statement stops early
ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY;
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES;
ALTER TABLE t REPLACE COLUMNS (id INT PRIMARY KEY);
