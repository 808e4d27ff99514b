"""Queries that the log of a table answers: COUNT, MIN, MAX, DISTINCT and GROUP BY, without reading a data file.

Where the result may differ from Spark's, the query is left to an engine. The query's text is parsed in
`sql.queries.aggregate_query`, its result is computed in `sql.evaluated.aggregates` from the statistics that
`skipping.tallies` aggregates.
"""
