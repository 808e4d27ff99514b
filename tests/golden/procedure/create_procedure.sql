-- expect: no jvm
-- log: off

CREATE TABLE t (a INT, b STRING);
-- name: plain, with all clauses in any order
CREATE PROCEDURE fill()
AS BEGIN
  INSERT INTO t VALUES (1, 'x');
  INSERT INTO t VALUES (2, 'y;z');
END;
CREATE OR REPLACE PROCEDURE clauses(IN a INT COMMENT 'first', OUT b STRING, INOUT c DECIMAL(10, 2) DEFAULT 1.5, out INT DEFAULT 0)
  COMMENT 'it''s all'
  MODIFIES SQL DATA
  SQL SECURITY INVOKER
  NOT DETERMINISTIC
  LANGUAGE SQL
  DEFAULT COLLATION UTF8_BINARY
AS outer_one: BEGIN
  -- END;
  IF TRUE THEN LEAVE outer_one; END IF;
END outer_one;
-- name: quoted, upper case, comments
create or REPLACE procedure /* c */ `My-Proc` (`in` INT, `x y` ARRAY<STRUCT<a: INT, b: STRING>>) reads sql data as /* ; */ begin end;
-- name: again
CREATE PROCEDURE fill() AS BEGIN END;
CREATE PROCEDURE IF NOT EXISTS fill() AS BEGIN DROP TABLE t; END;
CREATE OR REPLACE PROCEDURE IF NOT EXISTS fill() AS BEGIN END;
REPLACE PROCEDURE fill() AS BEGIN END;
-- name: functions and procedures share their names
CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return x $$;
CREATE OR REPLACE PROCEDURE F() AS BEGIN END;
CREATE OR REPLACE FUNCTION fill() RETURNS INT LANGUAGE PYTHON AS $$ return 1 $$;
DROP FUNCTION fill;
DROP PROCEDURE f;
CALL f(1);
-- name: what is told of them
DESCRIBE PROCEDURE fill;
DESC PROCEDURE clauses;
-- mask: /\w+ \w+ \d+ [\d:]+ UTC \d+/
DESCRIBE PROCEDURE EXTENDED clauses;
DESCRIBE PROCEDURE `my-proc`;
SHOW PROCEDURES;
SHOW PROCEDURES IN default LIKE 'f*|c*';
SHOW PROCEDURES FROM default 'my*';
CREATE SCHEMA s;
CREATE PROCEDURE s.p() AS BEGIN END;
SHOW PROCEDURES IN s;
SHOW USER FUNCTIONS LIKE 'f*';
-- name: information schema
SELECT routine_schema, routine_name, routine_type, routine_definition, sql_data_access, security_type, comment FROM information_schema.routines ORDER BY routine_name;
SELECT specific_name, ordinal_position, parameter_mode, parameter_name, full_data_type, parameter_default, comment FROM information_schema.parameters ORDER BY specific_name, ordinal_position;
-- name: a call without arguments
CALL fill();
call `default` . FILL ( /* none */ ) ;
SELECT * FROM t ORDER BY a;
-- name: in a script, and in the schema of its creation
USE s;
CREATE TABLE t (a INT);
CALL default.fill();
CREATE PROCEDURE default.here() SQL SECURITY INVOKER AS BEGIN INSERT INTO t VALUES (7); SHOW TABLES; END;
CALL default.here();
USE default;
SELECT count(*) FROM s.t;
SELECT count(*) FROM t;
BEGIN
  CALL fill();
  CREATE PROCEDURE inner_one() AS BEGIN
    CALL fill();
    TRUNCATE TABLE t;
  END;
  CALL inner_one();
END;
SELECT count(*) FROM t;
-- name: errors are placed in the procedure
CREATE PROCEDURE broken() AS BEGIN
  INSERT INTO t VALUES (4, 'd');
  INSERT INTO nope VALUES (5);
END;
CREATE PROCEDURE calls_broken() AS BEGIN CALL broken(); END;
CALL calls_broken();
SELECT max(a) FROM t;
-- name: a handler of the caller
BEGIN
  DECLARE EXIT HANDLER FOR TABLE_OR_VIEW_NOT_FOUND INSERT INTO t VALUES (100, 'handled');
  CALL broken();
END;
SELECT max(a) FROM t;
-- name: in a transaction
BEGIN TRANSACTION;
CALL fill();
ROLLBACK;
SELECT count(*) FROM t;
BEGIN ATOMIC CALL fill(); END;
-- name: it calls itself
CREATE PROCEDURE endless() AS BEGIN CALL endless(); END;
CALL endless();
-- name: dropped
DROP PROCEDURE fill;
DROP PROCEDURE IF EXISTS fill;
DROP PROCEDURE s.p;
CALL fill();
DROP SCHEMA s;
DROP SCHEMA s CASCADE;
