"""Foreign tables that are to become Delta tables: their files, columns and statistics in Delta's terms.

Read from listings, footers and Iceberg metadata alone, without Spark and without rows. Which sources are refused, and
the resulting table, are decided by the planner.
"""
