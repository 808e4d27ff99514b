"""A model in Python that returns a DataFrame of pandas."""

import pandas


def model(dbt, session):
    dbt.config(materialized="table", submission_method="job_cluster")
    return pandas.DataFrame({"a": [1, 2], "name": ["x", None]})
