"""A model in Python that returns a DataFrame of pandas on Spark."""


def model(dbt, session):
    dbt.config(materialized="incremental", unique_key="id")
    return dbt.ref("of_pandas").selectExpr("a AS id", "name").pandas_api()
