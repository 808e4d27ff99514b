"""Spark behind a door: answers the planner's questions about rows, and runs what was planned.

The only room that imports PySpark. It decides nothing about a table and commits nothing.
"""
