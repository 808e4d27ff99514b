{{ config(
  materialized='incremental', incremental_strategy='merge', unique_key='loan_id', on_schema_change='sync_all_columns',
  tblproperties={"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true"}
) }}
{% if var('wider') %}
select loan_id, cast(days as bigint) as days, array(note) as `all notes` from {{ ref('stg_loans') }}
{% else %}
select loan_id, days, fee from {{ ref('stg_loans') }}
{% endif %}
