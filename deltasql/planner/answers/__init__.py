"""Queries that the log of a table answers: COUNT, MIN, MAX, DISTINCT and GROUP BY, without reading a data file.

Where the result may differ from Spark's, the query is left to Spark. The query's text is parsed in
`sql.aggregate_query`, statistics are aggregated in `skipping.tallies`.
"""
