-- log: off

CREATE TABLE t (a INT, b STRING);
CREATE PROCEDURE area(IN x INT, y INT DEFAULT 10, OUT area INT, INOUT total INT)
LANGUAGE SQL SQL SECURITY INVOKER
AS BEGIN
  SET area = x * y;
  SET total = total + area.area;
  SELECT 'area: ' || area AS text;
END;
DECLARE VARIABLE area INT;
DECLARE VARIABLE total INT DEFAULT 10;
-- name: rows of the last query
CREATE PROCEDURE rows_of() AS BEGIN
  SELECT 1 AS one;
  SELECT 2 AS two;
  INSERT INTO t VALUES (3, 'c');
END;
CALL rows_of();
EXPLAIN CALL rows_of();
-- name: by position and by name
CALL area(5, 10, area, total);
SELECT area, total;
CALL area(area => session.area, X => 2, total => total);
SELECT area, total;
CALL area(total => system.session.total, x => (SELECT 1 + count(*) FROM t), y => DEFAULT, area => `AREA`);
SELECT area, total;
-- name: arguments are cast, texts with quotes and semicolons
CREATE PROCEDURE add(`new a` BIGINT, `new b` STRING DEFAULT concat('de;', 'fault'), `day` DATE DEFAULT DATE'2020-01-01') AS BEGIN
  INSERT INTO t VALUES (`new a`, `new b` || ' ' || `day`);
END;
CALL add('7', 'it''s; -- one');
CALL add(8 -- eight
);
CALL add(`day` => '2021-02-03', `new a` => CAST(9 AS TINYINT));
CALL add(NULL);
CALL add('x');
SELECT * FROM t ORDER BY a;
-- name: variables of scripts, of the same names too
BEGIN
  DECLARE x INT DEFAULT 3;
  DECLARE result INT;
  l: BEGIN
    DECLARE total INT DEFAULT 100;
    CALL area(l.total, x, result, l.total);
    SELECT x, result, total;
  END;
END;
-- name: the session's variable that a script hides
BEGIN
  DECLARE total INT DEFAULT 1000;
  CALL area(1, 1, session.area, session.total);
  SELECT total, session.area, session.total AS of_session;
END;
SELECT area, total;
CALL area(1, 1, total, total);
-- name: a procedure does not see the variables of its caller
CREATE PROCEDURE outsider() AS BEGIN SELECT hidden_one; END;
BEGIN
  DECLARE hidden_one INT DEFAULT 1;
  CALL outsider();
END;
-- name: calls in calls
CREATE PROCEDURE factorial(n INT, OUT result BIGINT) AS BEGIN
  DECLARE smaller BIGINT DEFAULT 1;
  IF n > 1 THEN CALL factorial(n - 1, smaller); END IF;
  SET result = n * smaller;
END;
DECLARE VARIABLE f BIGINT;
CALL factorial(5, f);
SELECT f;
-- name: a failed call leaves its OUT arguments as they were
CREATE PROCEDURE fails(OUT f BIGINT) AS BEGIN
  SET f = -1;
  SIGNAL SQLSTATE '45123' SET MESSAGE_TEXT = 'on purpose';
END;
CALL fails(f);
SELECT f;
BEGIN
  DECLARE message STRING;
  DECLARE EXIT HANDLER FOR SQLSTATE '45123' BEGIN
    GET DIAGNOSTICS CONDITION 1 message = MESSAGE_TEXT;
    SELECT message, f;
  END;
  CALL fails(f);
END;
-- name: complex types
CREATE PROCEDURE types(s STRUCT<a: INT, b: ARRAY<STRING>>, m MAP<STRING, INT>, OUT r STRING, d DECIMAL(5, 2) DEFAULT 1, ts TIMESTAMP DEFAULT TIMESTAMP'2020-01-01 00:00:00') AS BEGIN
  SET r = concat_ws(' ', s.a, s.b[0], m['k'], d, ts);
END;
DECLARE VARIABLE r STRING;
CALL types(named_struct('a', 1, 'b', array('x')), map('k', 5), r);
SELECT r;
-- name: by EXECUTE IMMEDIATE, and with parameters of its texts
EXECUTE IMMEDIATE 'CALL area(:x, 2, area, total)' USING 21 AS x;
BEGIN
  DECLARE mine, yours INT DEFAULT 1;
  EXECUTE IMMEDIATE 'CALL area(2, 2, mine, yours)';
  SELECT mine, yours;
END;
-- name: arguments that are wrong
CALL area(1, 2, 3, total);
CALL area(1, 2, nope, total);
CALL area(1, 2, area + 1, total);
CALL area(1, 2, NULL, total);
CALL area(1, 2, area, total, 5);
CALL area(1, 2, area);
CALL area(1, 2, z => area);
CALL area(1, x => 2, area => area, total => total);
CALL area(x => 1, x => 2, area => area, total => total);
CALL area(x => 1, 2, area => area, total => total);
CALL area(nope_column, 2, area, total);
CALL area(DEFAULT, 2, area, total);
CALL area(1, , area, total);
CALL aera(1);
