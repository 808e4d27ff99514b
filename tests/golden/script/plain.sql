-- expect: no jvm

-- name: statements one after another, each its own commit
BEGIN
  CREATE TABLE t (a INT, b STRING);
  INSERT INTO t VALUES (1, 'one'), (2, 'tw;o');
  ALTER TABLE t ADD COLUMN c INT;
  SHOW TABLES;
END;
begin not atomic /* ; */ insert into `t` (a) values (3) -- ; END
; end;
l: BEGIN
  IF FALSE THEN
    DROP TABLE t;
  ELSEIF TRUE THEN
    BEGIN
      INSERT INTO t (a) VALUES (4);
    END;
  END IF;
  LEAVE l;
  INSERT INTO t (a) VALUES (5);
END l;
BEGIN END;
-- name: a failed statement leaves what was committed before it
BEGIN
  INSERT INTO t (a) VALUES (6);
  ALTER TABLE t ADD COLUMN c INT;
  INSERT INTO t (a) VALUES (7);
END;
-- name: handlers take conditions of ours by name and by SQLSTATE
BEGIN
  DECLARE EXIT HANDLER FOR FIELD_ALREADY_EXISTS INSERT INTO t (a) VALUES (8);
  ALTER TABLE t ADD COLUMN c INT;
  INSERT INTO t (a) VALUES (9);
END;
BEGIN
  DECLARE CONTINUE HANDLER FOR SQLSTATE '42710' BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION INSERT INTO t (a) VALUES (-1);
  ALTER TABLE t ADD COLUMN c INT;
  INSERT INTO t (a) VALUES (10);
END;
BEGIN
  DECLARE too_many CONDITION FOR SQLSTATE '22K99';
  outer_block: BEGIN
    DECLARE EXIT HANDLER FOR too_many INSERT INTO t (a) VALUES (11);
    LOOP
      SIGNAL too_many;
    END LOOP;
  END;
  SIGNAL too_many;
END;
DESCRIBE HISTORY t LIMIT 1;
