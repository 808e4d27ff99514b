-- expect: no jvm
-- log: off

-- name: from dates and times
CREATE TABLE events (at TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), `the year` INT GENERATED ALWAYS AS (YEAR(`at`)), month STRING generated always as (date_format(at, 'yyyy-MM')), h INT GENERATED ALWAYS AS (hour(at)), start TIMESTAMP GENERATED ALWAYS AS (date_trunc('HOUR', at)), first DATE GENERATED ALWAYS AS (trunc(CAST(at AS DATE), 'MM'))) PARTITIONED BY (day) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
SHOW CREATE TABLE events;
-- name: from numbers, texts and structs
CREATE TABLE others (k BIGINT, s STRUCT<a: INT, b: STRING>, tags MAP<STRING, STRING>, price DECIMAL(10,2), bucket INT GENERATED ALWAYS AS (pmod(hash(k), 16)), a1 INT GENERATED ALWAYS AS (s.a + 1), u STRING GENERATED ALWAYS AS (upper(substring(s.b, 1, 2)) || '-' || k), total DECIMAL(12,2) GENERATED ALWAYS AS (price * 2), half DOUBLE GENERATED ALWAYS AS (k / 2), lang STRING GENERATED ALWAYS AS (coalesce(tags['lang'], 'en')), size STRING GENERATED ALWAYS AS (CASE WHEN k < 10 THEN 'small' WHEN k BETWEEN 10 AND 20 THEN 'middle' END));
-- name: constraints
CREATE TABLE checked (a INT CONSTRAINT positive CHECK (a > 0), b STRING, d DATE, CONSTRAINT `The Range` CHECK (a BETWEEN 1 AND 10 AND b <> 'x' OR NOT b LIKE 'y%'), CONSTRAINT recent CHECK (d >= DATE '2000-01-01' AND year(d) < 2100 AND length(b) IN (1, 2, 3)));
SHOW TBLPROPERTIES checked;
-- name: a constraint for a table without rows
ALTER TABLE checked ADD CONSTRAINT Upper CHECK (b = upper(b));
ALTER TABLE checked DROP CONSTRAINT UPPER;
-- name: taken over by LIKE
CREATE TABLE like_others LIKE others;
CREATE TABLE like_checked LIKE checked;
SHOW CREATE TABLE like_checked;
-- name: explained
EXPLAIN CREATE TABLE w (k INT, y INT GENERATED ALWAYS AS (k + 1), CONSTRAINT c CHECK (y > 1));
