-- Databricks notebook source
-- MAGIC %md ## The first form of pipelines

-- COMMAND ----------

CREATE OR REFRESH STREAMING LIVE TABLE raw_events
COMMENT "events"
AS SELECT * FROM cloud_files("${source}/events", "json", map("cloudFiles.inferColumnTypes", "true"))

-- COMMAND ----------

CREATE OR REFRESH STREAMING LIVE TABLE events (
  CONSTRAINT valid_id EXPECT (id > 0) ON VIOLATION DROP ROW
)
TBLPROPERTIES (delta.autoOptimize.optimizeWrite = true)
AS SELECT id, kind, to_timestamp(at) AS at FROM STREAM(LIVE.raw_events)

-- COMMAND ----------

CREATE TEMPORARY LIVE VIEW kinds AS SELECT DISTINCT kind FROM LIVE.events

-- COMMAND ----------

CREATE OR REFRESH STREAMING LIVE TABLE users;

APPLY CHANGES INTO LIVE.users FROM STREAM(LIVE.raw_users) KEYS (user_id) SEQUENCE BY seq STORED AS SCD TYPE 1

-- COMMAND ----------

CREATE LIVE TABLE per_kind AS SELECT e.kind, count(*) AS events FROM LIVE.events e JOIN LIVE.kinds k ON e.kind = k.kind GROUP BY e.kind
