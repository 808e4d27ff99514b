-- needs a JVM
-- INSERT, UPDATE, DELETE, MERGE and queries, as the pages on Delta tables and the tools of reports write them.

-- works
CREATE TABLE people10m (id INT, firstName STRING, birthDate DATE, salary INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = true);

-- works
INSERT INTO people10m VALUES (1, 'Ada', DATE'1815-12-10', 100), (2, 'Grace', DATE'1906-12-09', 200), (3, 'Mary', NULL, DEFAULT);

-- works
INSERT INTO people10m SELECT id + 10, firstName, birthDate, salary FROM people10m WHERE salary > 100;

-- works
INSERT INTO people10m (salary, id) SELECT 5, max(id) + 1 FROM people10m;

-- works
CREATE TABLE people_next LIKE people10m;

-- works
INSERT INTO people_next TABLE people10m;

-- works
INSERT OVERWRITE people_next FROM people10m SELECT *;

-- works
INSERT WITH SCHEMA EVOLUTION INTO people_next BY NAME SELECT 30 AS id, 'new' AS `team`;

-- works
WITH grown AS (SELECT * FROM people10m WHERE salary > 50) INSERT INTO people_next (id, salary) SELECT id, salary FROM grown;

-- works
FROM people10m INSERT INTO people_next (id) SELECT id WHERE id > 2 INSERT INTO people10m (id) SELECT id + 100 WHERE id = 1;

-- works
UPDATE people10m SET salary = salary * 2 WHERE birthDate < '1900-01-01';

-- works
UPDATE people10m AS p SET p.salary = (SELECT max(salary) FROM people_next), firstName = DEFAULT WHERE EXISTS (SELECT 1 FROM people_next n WHERE n.id = p.id AND n.id = 13);

-- works
DELETE FROM people10m WHERE id IN (SELECT id FROM people_next WHERE team = 'new') OR birthDate < '1800-01-01';

-- works
DELETE FROM people10m AS p WHERE NOT EXISTS (SELECT * FROM people_next AS n WHERE n.id = p.id);

-- works
WITH gone AS (SELECT 12 AS id) DELETE FROM people10m WHERE id IN (SELECT id FROM gone);

-- works
CREATE OR REPLACE TEMP VIEW people_updates AS SELECT 1 AS id, 'Augusta' AS firstName, 110 AS salary UNION ALL SELECT 50, 'Katherine', 300;

-- works
MERGE INTO people10m
USING people_updates
ON people10m.id = people_updates.id
WHEN MATCHED THEN
  UPDATE SET firstName = people_updates.firstName, salary = people_updates.salary
WHEN NOT MATCHED
  THEN INSERT (id, firstName, salary) VALUES (people_updates.id, people_updates.firstName, people_updates.salary);

-- works
MERGE INTO people10m t USING people_updates s ON t.id = s.id
WHEN MATCHED AND s.salary > 200 THEN DELETE
WHEN MATCHED THEN UPDATE SET * EXCEPT (salary, birthDate)
WHEN NOT MATCHED BY TARGET THEN INSERT * EXCEPT (salary, birthDate)
WHEN NOT MATCHED BY SOURCE AND t.id > 10 THEN UPDATE SET t.salary = 0
WHEN NOT MATCHED BY SOURCE THEN DELETE;

-- works
MERGE WITH SCHEMA EVOLUTION INTO people10m USING (SELECT 3 AS id, 'x' AS nick) s ON people10m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;

-- refused DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE
MERGE INTO people10m t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET salary = 1;

-- refused DELTA_MERGE_UNRESOLVED_EXPRESSION
MERGE INTO people10m t USING people_updates s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nothing = 1;

-- refused CAST_INVALID_INPUT
INSERT INTO people10m VALUES ('not a number', 'x', NULL, 1, NULL);

-- refused TABLE_OR_VIEW_NOT_FOUND
INSERT INTO people10m SELECT * FROM missing_table;

-- works
SELECT count(*) FROM people10m VERSION AS OF 0;

-- refused DELTA_TIMESTAMP_GREATER_THAN_COMMIT
SELECT * FROM people10m TIMESTAMP AS OF current_timestamp() - INTERVAL 0 SECONDS;

-- works
SELECT * FROM people10m@v1 EXCEPT ALL SELECT * FROM people10m VERSION AS OF 1;

-- refused DELTA_VERSION_NOT_FOUND
SELECT * FROM people10m VERSION AS OF 1000;

-- refused DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION
SELECT * FROM people10m TIMESTAMP AS OF '2018-10-18T22:15:12.013Z';

-- works
SELECT _change_type, _commit_version, id FROM table_changes('people10m', 0);

-- works
SELECT * FROM table_changes('`default`.people10m', 1, 2);

-- refused DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION
SELECT * FROM table_changes('people10m', 0, '2024-01-01');

-- works
SELECT * FROM delta.`${HERE}/warehouse/people10m` LIMIT 1;

-- works
SELECT id, _metadata.file_name IS NOT NULL AS named FROM people10m LIMIT 2;

-- works
SELECT id, salary, rank() OVER (ORDER BY salary DESC) AS place FROM people10m QUALIFY place = 1;

-- works
FROM people10m |> WHERE salary > 1 |> AGGREGATE count(*) AS n GROUP BY id |> ORDER BY n;

-- works
SELECT * EXCEPT (salary) FROM people10m WHERE firstName ILIKE 'a%';

-- works
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name) JOIN people10m USING (id);

-- works
SELECT t.`firstName` AS `First Name`, SUM(t.`salary`) AS `sum` FROM `spark_catalog`.`default`.`people10m` t GROUP BY 1 HAVING COUNT(1) >= 0 ORDER BY 2 DESC NULLS LAST LIMIT 1001;

-- works
SELECT CAST(TIMESTAMPADD(DAY, -1, CURRENT_DATE()) AS DATE) AS yesterday, DATE_TRUNC('MONTH', birthDate) AS `TRUNC_MONTH(birthDate)` FROM people10m;

-- works
SELECT 1 AS ok FROM people10m LIMIT 0;

-- works
SELECT `id` `id`, COUNT(DISTINCT(`firstName`)) AS `ctd` FROM (SELECT * FROM people10m) AS `Custom SQL Query` WHERE ((`id` >= 0) AND (`id` <= 99)) GROUP BY `id`;

-- works
EXPLAIN SELECT * FROM people10m WHERE id = 1;

-- works
EXPLAIN EXTENDED DELETE FROM people10m WHERE id = 1;

-- works
TABLE people10m;

-- works
VALUES (1, 2), (3, 4);

-- works
CREATE VIEW subscribed AS SELECT id, firstName FROM people10m WHERE id > 0;

-- works
CREATE OR REPLACE VIEW subscribed (key COMMENT 'the id', name) COMMENT 'who gets letters' TBLPROPERTIES ('team' = 'post') WITH SCHEMA EVOLUTION AS SELECT id, firstName FROM people10m;

-- works
CREATE VIEW IF NOT EXISTS subscribed_too WITH SCHEMA COMPENSATION AS SELECT * FROM subscribed;

-- works
ALTER VIEW subscribed_too AS SELECT 1 AS one;

-- works
ALTER VIEW subscribed_too SET TBLPROPERTIES ('a' = 'b');

-- works
ALTER VIEW subscribed_too UNSET TBLPROPERTIES IF EXISTS ('a');

-- works
ALTER VIEW subscribed_too WITH SCHEMA BINDING;

-- works
ALTER VIEW subscribed_too RENAME TO subscribed_three;

-- works
COMMENT ON TABLE subscribed IS 'those who asked for it';

-- works
SHOW VIEWS LIKE 'sub*';

-- works
SHOW CREATE TABLE subscribed;

-- works
DESCRIBE TABLE EXTENDED subscribed;

-- works
SELECT * FROM subscribed WHERE key = 1;

-- refused DELTA_CANNOT_WRITE_INTO_VIEW
INSERT INTO subscribed VALUES (1, 'x');

-- works
DROP VIEW subscribed_three;

-- refused WRONG_COMMAND_FOR_OBJECT_TYPE
DROP TABLE subscribed;

-- works
CREATE FUNCTION area(width DOUBLE, height DOUBLE) RETURNS DOUBLE RETURN width * height;

-- works
CREATE OR REPLACE FUNCTION people_above(least INT DEFAULT 0 COMMENT 'of salary') RETURNS TABLE (id INT, name STRING) COMMENT 'who earns more' RETURN SELECT id, firstName FROM people10m WHERE salary > least;

-- works
SELECT area(2, 3) AS six, * FROM people_above(1);

-- works
DESCRIBE FUNCTION EXTENDED area;

-- works
SHOW USER FUNCTIONS LIKE 'a*';

-- works
DROP FUNCTION IF EXISTS people_above;

-- works
CREATE TEMPORARY FUNCTION twice(n INT) RETURNS INT RETURN n * 2;

-- works
SELECT twice(2);

-- works
DECLARE OR REPLACE VARIABLE first_day DATE DEFAULT DATE'1900-01-01';

-- works
DECLARE least INT = 5;

-- works
SET VAR least = (SELECT max(id) FROM people10m);

-- works
SET VARIABLE (least, first_day) = (SELECT 1, DATE'1901-01-01');

-- works
SELECT * FROM people10m WHERE birthDate > first_day AND id >= least;

-- works
DELETE FROM people10m WHERE id > session.least + 1000;

-- works
EXECUTE IMMEDIATE 'SELECT count(*) FROM ' || 'people10m WHERE id > ?' USING least;

-- works
EXECUTE IMMEDIATE 'SELECT max(id) FROM people10m' INTO least;

-- works
DROP TEMPORARY VARIABLE IF EXISTS least;

-- works
BEGIN
  DECLARE total BIGINT DEFAULT 0;
  FOR row AS SELECT id FROM people10m DO
    SET total = total + row.id;
  END FOR;
  IF total > 0 THEN
    INSERT INTO people10m (id, salary) VALUES (77, total);
  ELSE
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'nobody there';
  END IF;
  SELECT total;
END;

-- works
BEGIN TRANSACTION;

-- works
UPDATE people_next SET salary = 1 WHERE id = 77;

-- works
DELETE FROM people_next WHERE id = 77 AND salary = 1;

-- works
COMMIT;

-- refused ROUTINE_NOT_FOUND
CALL nightly(DATE '2024-05-01');

-- works
OPTIMIZE people10m;

-- works
OPTIMIZE people10m ZORDER BY (id, salary);

-- works
CREATE TABLE by_day (id INT, day DATE) PARTITIONED BY (day);

-- works
INSERT INTO by_day PARTITION (day = DATE'2024-05-01') VALUES (1), (2);

-- works
INSERT INTO by_day PARTITION (day) SELECT 3, DATE'2024-05-02';

-- works
INSERT OVERWRITE by_day PARTITION (day = '2024-05-02') SELECT 4;

-- works
INSERT INTO by_day REPLACE WHERE day = '2024-05-01' SELECT 9, DATE'2024-05-01';

-- refused DELTA_REPLACE_WHERE_MISMATCH
INSERT INTO by_day REPLACE WHERE day = '2024-05-01' SELECT 9, DATE'2024-06-01';

-- refused UNRESOLVED_INSERT_REPLACE_USING_COLUMN
INSERT INTO by_day REPLACE USING (day) SELECT 8, DATE'2024-05-02';

-- works
INSERT INTO by_day AS t REPLACE ON t.day <=> s.day AND t.id >= s.id (SELECT 7 AS id, DATE'2024-05-02' AS day) AS s;

-- works
OPTIMIZE by_day WHERE day >= '2024-05-01';

-- works
DESCRIBE HISTORY by_day;

-- works
RESTORE TABLE by_day TO VERSION AS OF 1;

-- works
CONVERT TO DELTA by_day;

-- works
CREATE TABLE by_day_copy DEEP CLONE by_day VERSION AS OF 2;

-- works
CREATE TABLE ctas USING DELTA PARTITIONED BY (day) TBLPROPERTIES ('delta.appendOnly' = 'true') AS SELECT * FROM by_day;

-- refused DELTA_CANNOT_MODIFY_APPEND_ONLY
CREATE OR REPLACE TABLE ctas CLUSTER BY (id) AS SELECT id, day, 'x' AS note FROM by_day;

-- works
CREATE TABLE IF NOT EXISTS ctas AS TABLE by_day;

-- refused TABLE_OR_VIEW_ALREADY_EXISTS
CREATE TABLE ctas (a INT) AS SELECT 1;

-- works
ANALYZE TABLE ctas COMPUTE DELTA STATISTICS;

-- works
REORG TABLE ctas APPLY (PURGE);

-- works
INSERT INTO by_day REPLACE USING (day) SELECT 8 AS id, DATE'2024-05-02' AS day;

-- works
INSERT OVERWRITE TABLE by_day (id) VALUES (10);

-- works
REORG TABLE by_day WHERE day >= current_date() - INTERVAL 1 YEAR APPLY (PURGE);

-- refused DELTA_OPERATION_NOT_ALLOWED
INSERT INTO by_day VALUES (1, NULL) ON CONFLICT (id) DO UPDATE SET day = NULL;

-- refused DELTA_OPERATION_NOT_ALLOWED
INSERT INTO by_day VALUES (1, NULL) RETURNING id;

-- refused SCHEMA_NOT_FOUND
SHOW PROCEDURES IN sales;

-- refused SCHEMA_NOT_FOUND
DESCRIBE PROCEDURE sales.nightly;

-- refused DELTA_OPERATION_NOT_ALLOWED
SELECT * FROM STREAM by_day;

-- refused DELTA_OPERATION_NOT_ALLOWED
SELECT * FROM by_day FETCH FIRST 3 ROWS ONLY;

-- refused DELTA_OPERATION_NOT_ALLOWED
SELECT * FROM by_day WHERE id = 1 FOR UPDATE;

-- refused DELTA_OPERATION_NOT_ALLOWED
SELECT * FROM csv.`/landing` WITH (CREDENTIAL landing);

-- refused PATH_NOT_FOUND
SELECT * FROM read_files('/landing', format => 'csv');

-- works
CLEAR CACHE;

-- works
REFRESH '/nowhere/events';

-- works
SET TIME ZONE 'Europe/Oslo';

-- works
SET TIMEZONE = 'UTC';

-- works
SET TIME ZONE LOCAL;
