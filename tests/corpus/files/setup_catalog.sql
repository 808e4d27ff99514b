-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Setup
-- MAGIC Catalog, schema, volume and rights of the workshop.

-- COMMAND ----------

-- MAGIC %run ./settings

-- COMMAND ----------

-- DBTITLE 1,Widgets
CREATE WIDGET TEXT catalog DEFAULT 'workshop';
CREATE WIDGET TEXT schema DEFAULT 'retail'

-- COMMAND ----------

CREATE CATALOG IF NOT EXISTS ${catalog};
USE CATALOG ${catalog};
CREATE SCHEMA IF NOT EXISTS ${schema} COMMENT 'tables of the workshop';
USE SCHEMA IDENTIFIER(:schema)

-- COMMAND ----------

CREATE VOLUME IF NOT EXISTS ${catalog}.${schema}.raw

-- COMMAND ----------

GRANT USE CATALOG ON CATALOG ${catalog} TO `account users`;
GRANT USE SCHEMA, SELECT, READ VOLUME ON SCHEMA ${catalog}.${schema} TO `account users`

-- COMMAND ----------

-- MAGIC %python
-- MAGIC for name in ["orders", "customers"]:
-- MAGIC     spark.sql(f"DROP TABLE IF EXISTS {name}")

-- COMMAND ----------

CREATE OR REPLACE TABLE customers (
  customer_id BIGINT GENERATED ALWAYS AS IDENTITY,
  name STRING NOT NULL COMMENT 'as written',
  email STRING,
  CONSTRAINT customers_pk PRIMARY KEY (customer_id) RELY
) CLUSTER BY (customer_id) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')

-- COMMAND ----------

CREATE OR REPLACE FUNCTION mask_email(email STRING) RETURNS STRING
RETURN CASE WHEN is_account_group_member('admins') THEN email ELSE '***' END

-- COMMAND ----------

ALTER TABLE customers ALTER COLUMN email SET MASK mask_email

-- COMMAND ----------

-- MAGIC %fs ls /Volumes/workshop/retail/raw

-- COMMAND ----------

SELECT current_catalog(), current_schema(), current_user()
