"""The Delta log: storage, actions, configuration, replay, commit, upkeep; each a room of its own, from the bottom up.

Knows no SQL and no Spark.
"""
