"""Settings of a session and options of DataFrames: their declarations, legal values, and the values stored by SET.

Properties of tables are in `log.properties`.
"""
