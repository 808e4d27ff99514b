%sql
-- Cells as they stand in the editor, each with the word of its language.
DECLARE OR REPLACE VARIABLE place STRING DEFAULT '`week-7`.`clean`';
CREATE OR REPLACE TABLE IDENTIFIER(place || '.courses') USING DELTA AS SELECT upper(trim(code)) AS code FROM raw_courses;

-- COMMAND ----------

%md
# What it costs; by day

-- COMMAND ----------

%sql
SELECT usage_date, sum(usage_quantity) AS dbus
FROM system.billing.usage
GROUP BY ALL
ORDER BY usage_date
