"""Functions of Databricks that Spark lacks, over Arrow columns that its workers pass: H3 cells, shapes, addresses.

The SQL of their calls is made in `deltasql.sql.added_calls`; nothing of a table belongs in this folder.
"""
