{{ config(materialized='table') }}
select cast(reader_id as string) as reader_id, reader_name from {{ ref('stg_readers') }}
