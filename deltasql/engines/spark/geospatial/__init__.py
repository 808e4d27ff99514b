"""Geospatial functions over Arrow columns, which Spark's workers call: cells of the grid H3, and shapes.

The SQL of their calls is made in `deltasql.sql.geospatial`; nothing of a table belongs in this folder.
"""
