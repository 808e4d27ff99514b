{{ config(materialized='table', tblproperties={"delta.enableChangeDataFeed": "true"}) }}
select
  r.reader_id,
  r.reader_name,
  count(l.loan_id) as loans,
  coalesce(sum(l.fee), 0.00) as fees,
  collect_list(named_struct('day', l.day, 'days', l.days)) as history
from {{ ref('stg_readers') }} as r
left join {{ ref('stg_loans') }} as l on l.reader_id = r.reader_id
group by r.reader_id, r.reader_name
