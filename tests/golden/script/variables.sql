CREATE TABLE t (a INT, b STRING);
-- name: in every statement, after columns
-- log: off
BEGIN
  DECLARE n, m INT DEFAULT 2;
  DECLARE a INT = 100;
  DECLARE word STRING DEFAULT 'w' || n;
  INSERT INTO t VALUES (n, word), (a, upper(word));
  INSERT INTO t SELECT n + 1, word;
  UPDATE t SET b = word || '!', a = a + m WHERE a = n + 1;
  MERGE INTO t USING (SELECT n AS k) s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = word || a;
  DELETE FROM t WHERE a = m + 98;
  SELECT a, b, n FROM t WHERE a > n - 1 ORDER BY a LIMIT m + 1;
END;
-- log: off
BEGIN
  DECLARE low INT DEFAULT 3;
  INSERT INTO t REPLACE WHERE a >= 3 SELECT low, 'replaced';
  INSERT INTO t BY NAME SELECT low + 1 AS a;
END;
-- name: SET
BEGIN
  DECLARE x, y INT DEFAULT 4;
  SET x = 1, y = x + 5;
  SET (x, y) = (SELECT y, (SELECT max(a) FROM t));
  SET VAR x = x * 10;
  BEGIN
    DECLARE z INT DEFAULT x;
    SET x = DEFAULT;
    SET y = y + z;
  END;
  SELECT x, y;
END;
BEGIN DECLARE x INT; SET x = (SELECT a FROM t WHERE FALSE); SELECT x; END;
BEGIN DECLARE x INT; SET (x) = (SELECT a FROM t); END;
BEGIN SET nope = 1; END;
BEGIN DECLARE x TINYINT; SET x = 1000; END;
BEGIN
  SET spark.databricks.delta.schema.autoMerge.enabled = true;
  SET spark.databricks.delta.schema.autoMerge.enabled;
  RESET;
END;
-- name: scopes
DECLARE outside INT DEFAULT 1;
BEGIN
  one: BEGIN
    DECLARE x INT DEFAULT 1;
    DECLARE outside INT DEFAULT outside + 10;
    two: BEGIN
      DECLARE x STRING DEFAULT 'two' || x;
      SET one.x = one.x + 4;
      SET session.outside = 5;
      SELECT x, one.x AS one, two.x AS two, outside, session.outside AS own, system.session.outside AS same, `one`.`X`;
    END;
  END;
END;
SELECT outside;
BEGIN one: BEGIN DECLARE x INT DEFAULT 1; SELECT one.x FROM t AS one(x, y) ORDER BY ALL; END; END;
BEGIN BEGIN DECLARE inside INT; END; SELECT inside; END;
SELECT outside, inside;
DROP TEMPORARY VARIABLE outside;
-- name: temporary objects
BEGIN
  DECLARE x INT DEFAULT 7;
  CREATE TEMPORARY VIEW of_script AS SELECT max(a) AS top FROM t;
  CREATE TEMPORARY FUNCTION twice(n INT) RETURNS INT RETURN n * 2;
  SELECT top, twice(x) FROM of_script;
  DROP VIEW of_script;
END;
SELECT twice(1);
-- name: EXECUTE IMMEDIATE
BEGIN
  DECLARE name STRING DEFAULT 't';
  DECLARE n BIGINT;
  EXECUTE IMMEDIATE 'SELECT count(*) FROM ' || name INTO n;
  EXECUTE IMMEDIATE 'SELECT :low + ' || n USING n AS low;
END;
BEGIN EXECUTE IMMEDIATE 'SELECT * FROM nope'; END;
-- name: no parameters without values
BEGIN DECLARE x INT DEFAULT 1; SELECT :p; END;
-- name: constants that only a session of Spark can tell
BEGIN DECLARE x INT DEFAULT (SELECT 1); END;
BEGIN
  DECLARE x INT DEFAULT 1 /
    0;
  SELECT 1;
END;
