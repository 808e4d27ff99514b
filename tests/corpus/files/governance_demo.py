# Databricks notebook source
# MAGIC %md # Rights on rows and columns

# COMMAND ----------

dbutils.widgets.text("region", "EU")

# COMMAND ----------

# MAGIC %sql
# MAGIC CREATE TABLE IF NOT EXISTS people (id INT, region STRING, ssn STRING);
# MAGIC CREATE OR REPLACE FUNCTION of_region(region STRING) RETURN is_account_group_member('admin') OR region = 'EU'

# COMMAND ----------

# MAGIC %sql
# MAGIC ALTER TABLE people SET ROW FILTER of_region ON (region)

# COMMAND ----------

# MAGIC %sql SELECT * FROM people WHERE region = :region

# COMMAND ----------

display(spark.table("people"))

# COMMAND ----------

# MAGIC %sql
# MAGIC GRANT SELECT ON TABLE people TO `analysts`;
# MAGIC SHOW GRANTS ON TABLE people
