select id as reader_id, coalesce(name, 'unknown') as reader_name, joined, cast(joined as timestamp) as changed, active
from {{ ref('readers_seed') }}
