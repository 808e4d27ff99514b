def model(dbt, session):
    dbt.config(materialized="incremental", unique_key="country")
    return dbt.ref("customers").groupBy("country").count()
