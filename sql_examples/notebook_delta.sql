-- Databricks notebook source
-- MAGIC %md
-- MAGIC # What a Delta table remembers

-- COMMAND ----------

CREATE TABLE employees (id INT, name STRING, salary DOUBLE);
INSERT INTO employees VALUES (1, 'Ada', 3500.0), (2, 'Ben', 4020.5);
INSERT INTO employees VALUES (3, 'Cy', 2999.3)

-- COMMAND ----------

UPDATE employees SET salary = salary + 100 WHERE name LIKE 'A%'

-- COMMAND ----------

-- DBTITLE 1,History and time travel
SELECT version, operation FROM (DESCRIBE HISTORY employees) ORDER BY version

-- COMMAND ----------

SELECT * FROM employees VERSION AS OF 1 ORDER BY id;
SELECT * FROM employees@v2 WHERE id = 3

-- COMMAND ----------

DELETE FROM employees;
SELECT count(*) AS left_over FROM employees;
RESTORE TABLE employees TO VERSION AS OF 3;
SELECT count(*) AS restored FROM employees

-- COMMAND ----------

-- DBTITLE 1,Upserts
MERGE INTO employees AS e
USING (VALUES (3, 'Cy', 3100.0), (4, 'Dee', 2800.0) AS v (id, name, salary)) AS s ON e.id = s.id
WHEN MATCHED THEN UPDATE SET e.salary = s.salary
WHEN NOT MATCHED THEN INSERT *

-- COMMAND ----------

-- DBTITLE 1,Constraints
ALTER TABLE employees ADD CONSTRAINT paid CHECK (salary > 0);
ALTER TABLE employees ALTER COLUMN id SET NOT NULL

-- COMMAND ----------

INSERT INTO employees VALUES (5, 'Eve', -1.0)

-- COMMAND ----------

-- DBTITLE 1,A copy, and a table that comes back
CREATE OR REPLACE TABLE employees_copy DEEP CLONE employees;
DROP TABLE employees;
UNDROP TABLE employees;
SELECT a.id, a.salary = b.salary AS same FROM employees a JOIN employees_copy b USING (id) ORDER BY a.id
