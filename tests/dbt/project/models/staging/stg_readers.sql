select id as reader_id, coalesce(name, 'unknown') as reader_name, joined, active
from {{ ref('readers_seed') }}
