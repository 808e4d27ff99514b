-- Databricks notebook source
USE CATALOG hive_metastore

-- COMMAND ----------

CREATE TABLE employees
  (id INT, name STRING, salary DOUBLE)

-- COMMAND ----------

-- two inserts, two versions
INSERT INTO employees VALUES (1, "Ada", 3500.0), (2, "Ben", 4020.5);
INSERT INTO employees VALUES (3, "Cy", 2999.3)

-- COMMAND ----------

DESCRIBE DETAIL employees

-- COMMAND ----------

UPDATE employees SET salary = salary + 100 WHERE name LIKE "A%"

-- COMMAND ----------

DESCRIBE HISTORY employees

-- COMMAND ----------

SELECT * FROM employees VERSION AS OF 1

-- COMMAND ----------

SELECT * FROM employees@v1

-- COMMAND ----------

DELETE FROM employees;
RESTORE TABLE employees TO VERSION AS OF 2

-- COMMAND ----------

OPTIMIZE employees ZORDER BY (id)

-- COMMAND ----------

SET spark.databricks.delta.retentionDurationCheck.enabled = false;
VACUUM employees RETAIN 0 HOURS DRY RUN

-- COMMAND ----------

CREATE TABLE on_mount (width INT) LOCATION 'dbfs:/mnt/demo/on_mount';
DESCRIBE EXTENDED on_mount

-- COMMAND ----------

-- MAGIC %sh ls /dbfs

-- COMMAND ----------

CREATE GLOBAL TEMP VIEW well_paid AS SELECT * FROM employees WHERE salary > 3000;
SELECT * FROM global_temp.well_paid;
SHOW TABLES IN global_temp

-- COMMAND ----------

DROP TABLE employees
