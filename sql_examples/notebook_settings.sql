-- Databricks notebook source
-- MAGIC %md Settings that the notebooks of the workshop share: `notebook_setup.sql` includes this one.

-- COMMAND ----------

SET spark.databricks.delta.properties.defaults.enableChangeDataFeed = true
