"""Queries that the log of a table answers: COUNT, MIN, MAX, DISTINCT and GROUP BY, without a look into a data file.

What is not certain to be what Spark would say is left to Spark. Reading the query's text is not this room's business
(`sql.aggregate_query`), nor is what statistics say (`skipping.tallies`).
"""
