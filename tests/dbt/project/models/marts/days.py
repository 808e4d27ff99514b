"""A model in Python."""


def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("stg_loans").groupBy("day").agg({"days": "sum"}).withColumnRenamed("sum(days)", "days")
