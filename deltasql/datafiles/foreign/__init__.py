"""Tables that are none of Delta's, on their way to become one: their files, columns and statistics as Delta has them.

Read from listings, footers and Iceberg's metadata alone, without Spark; rows are nobody's business here. What a table
of Delta's looks like then, and which sources are refused, is the planner's to say.
"""
