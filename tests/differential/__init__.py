"""Random scripts of SQL on deltasql and on a judge that knows better: plain Spark over Parquet, or delta-spark.

`kinds` draws column types and values, `terms` expressions over columns, `scripts` whole statements, each with what it
comes to for a judge without DML. `engines` runs them, `compare` says what differs, `shrink` takes away what a
difference does not need.
"""
