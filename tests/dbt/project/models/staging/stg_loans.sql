select id as loan_id, reader_id, cast(lent_at as date) as day, lent_at, days, fee, note
from {{ ref('loans_seed') }}
where lent_at < cast('{{ var("today") }}' as date) + interval 1 day
