"""The Delta log: storage, actions, configuration, replay, commit, upkeep; one package each, from the bottom up.

Independent of SQL and Spark.
"""
