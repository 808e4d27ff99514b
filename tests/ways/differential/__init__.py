"""Random scripts of SQL on deltasql and on a judge that knows better: plain Spark over Parquet, or delta-spark.

`kinds` draws column types and values (of `values`), `terms` expressions over columns, `scripts` whole statements for
the tables and views of a `world`, each with what it comes to for a judge without DML. `engines` runs them and says what
differs, `play` takes away what a difference does not need.
"""
