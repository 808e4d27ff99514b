"""Geospatial functions over Arrow columns, which Spark's workers call: cells of the grid H3, and shapes."""
