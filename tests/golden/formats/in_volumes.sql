-- Tables of other formats in a folder of a volume, whose catalog the first statement makes.
-- log: off
CREATE VOLUME main.default.v;
CREATE TABLE p USING parquet LOCATION '/Volumes/main/default/v/p' AS SELECT 1 AS a;
SELECT * FROM p;
LIST '/Volumes/main/default/v';
CREATE TABLE c (a INT) USING csv OPTIONS (path 'dbfs:/Volumes/main/default/v/c');
INSERT INTO c VALUES (7);
SELECT * FROM csv.`/Volumes/main/default/v/c`;
CREATE TABLE n (a INT) USING csv LOCATION '/Volumes/nowhere/default/v/c';
CREATE EXTERNAL VOLUME main.default.w LOCATION '/Volumes/main/default/v/w';
CREATE TABLE w USING json LOCATION '/Volumes/main/default/w/j' AS SELECT 2 AS a;
LIST '/Volumes/main/default/v/w';
