-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Setup of a workshop
-- MAGIC Catalog, schema, rights and a volume; `%run` brings the settings that all notebooks share.

-- COMMAND ----------

-- MAGIC %run ./notebook_settings

-- COMMAND ----------

CREATE WIDGET TEXT readers DEFAULT 'account users';
CREATE WIDGET TEXT catalog DEFAULT 'workshop';
CREATE WIDGET DROPDOWN layer DEFAULT 'bronze' CHOICES SELECT * FROM (VALUES ('bronze'), ('silver'))

-- COMMAND ----------

-- DBTITLE 1,Catalog and schema
CREATE CATALOG IF NOT EXISTS ${catalog};
USE CATALOG IDENTIFIER(:catalog);
CREATE SCHEMA IF NOT EXISTS ${layer} COMMENT 'of the workshop';
USE SCHEMA ${layer}

-- COMMAND ----------

GRANT USE SCHEMA, SELECT ON SCHEMA ${catalog}.${layer} TO `${readers}`;
SHOW GRANTS ON SCHEMA ${catalog}.${layer}

-- COMMAND ----------

CREATE VOLUME IF NOT EXISTS raw COMMENT 'files as they came';
SHOW VOLUMES

-- COMMAND ----------

CREATE OR REPLACE TABLE customers (
  id INT NOT NULL,
  name STRING COMMENT 'as written',
  email STRING,
  CONSTRAINT customers_key PRIMARY KEY (id)
) COMMENT 'who buys';
INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com'), (2, 'Ben', 'ben@example.com')

-- COMMAND ----------

ALTER TABLE customers SET TAGS ('layer' = '${layer}');
ALTER TABLE customers ALTER COLUMN email SET TAGS ('pii')

-- COMMAND ----------

SELECT current_catalog() AS catalog, current_schema() AS schema, count(*) AS customers FROM customers
