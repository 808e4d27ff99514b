-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Orders of a region
-- MAGIC A notebook as Databricks exports it: `deltasql run sql_examples/notebook_orders.sql`.

-- COMMAND ----------

CREATE WIDGET DROPDOWN region DEFAULT 'north' CHOICES SELECT * FROM (VALUES ('north'), ('south'))

-- COMMAND ----------

-- DBTITLE 1,Tables
CREATE OR REPLACE TABLE orders (id INT NOT NULL, region STRING, amount DECIMAL(10, 2));
INSERT INTO orders VALUES (1, 'north', 12.50), (2, 'south', 7.00), (3, 'north', 3.25)

-- COMMAND ----------

-- MAGIC %md A parameter is a value as `:region`, and a text as `${region}`.

-- COMMAND ----------

CREATE TABLE orders_${region} AS SELECT id, amount FROM orders WHERE region = :region

-- COMMAND ----------

SELECT sum(amount) AS total FROM IDENTIFIER('orders_' || :region)

-- COMMAND ----------

-- MAGIC %sql
-- MAGIC MERGE INTO orders_north AS t USING (SELECT 3 AS id, 4.00 AS amount) AS s ON t.id = s.id
-- MAGIC WHEN MATCHED THEN UPDATE SET t.amount == s.amount

-- COMMAND ----------

SELECT * FROM orders_north ORDER BY id
