-- Databricks notebook source
SET spark.sql.shuffle.partitions = 8

-- COMMAND ----------

DECLARE OR REPLACE VARIABLE today DATE DEFAULT current_date()
