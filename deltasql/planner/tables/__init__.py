"""Definitions of tables: columns as they are declared, metadata before and after, features, layout, where a table lies.

Values of rows are in `rows`.
"""
