-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Readings of sensors
-- MAGIC Two flows fill one table: one for each site.

-- COMMAND ----------

CREATE OR REFRESH STREAMING TABLE readings (
  CONSTRAINT has_value EXPECT (degrees IS NOT NULL) ON VIOLATION DROP ROW
);
CREATE FLOW north AS INSERT INTO readings BY NAME SELECT 'north' AS site, sensor, degrees FROM STREAM(north_raw);
CREATE FLOW south AS INSERT INTO readings BY NAME SELECT 'south' AS site, sensor, degrees FROM STREAM(south_raw);

-- COMMAND ----------

CREATE OR REFRESH MATERIALIZED VIEW by_site AS SELECT site, count(*) AS readings, max(degrees) AS hottest FROM readings GROUP BY site;
CREATE VIEW hot_sites AS SELECT site FROM by_site WHERE hottest > 30;
