-- A loader as a procedure, and scripts around it.
CREATE SCHEMA IF NOT EXISTS etl;

CREATE TABLE IF NOT EXISTS etl.runs (name STRING, started TIMESTAMP, rows_loaded BIGINT, problem STRING);
CREATE TABLE IF NOT EXISTS etl.target (id INT, amount DECIMAL(10, 2));
CREATE TABLE IF NOT EXISTS etl.staging (id INT, amount DECIMAL(10, 2));

CREATE OR REPLACE PROCEDURE etl.load_target(IN dry BOOLEAN DEFAULT FALSE, OUT loaded BIGINT)
LANGUAGE SQL
SQL SECURITY INVOKER
COMMENT 'loads what is staged'
AS BEGIN
  DECLARE problem STRING;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
    INSERT INTO etl.runs VALUES ('load_target', current_timestamp(), 0, problem);
    RESIGNAL;
  END;
  SET loaded = (SELECT count(*) FROM etl.staging);
  IF NOT dry THEN
    MERGE INTO etl.target AS t USING etl.staging AS s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET t.amount = s.amount
    WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (s.id, s.amount);
  END IF;
  INSERT INTO etl.runs VALUES ('load_target', current_timestamp(), loaded, NULL);
END;

DECLARE OR REPLACE VARIABLE n BIGINT;
CALL etl.load_target(FALSE, n);

BEGIN
  DECLARE tables ARRAY<STRING> DEFAULT ARRAY('target', 'staging');
  DECLARE i INT DEFAULT 0;
  WHILE i < size(tables) DO
    EXECUTE IMMEDIATE 'ANALYZE TABLE etl.' || tables[i] || ' COMPUTE STATISTICS';
    SET i = i + 1;
  END WHILE;
END;
