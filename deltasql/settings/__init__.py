"""Settings of a session and options of DataFrames: what there is, what each may be, and what SET has stored.

Properties of tables are in `log.properties`.
"""
