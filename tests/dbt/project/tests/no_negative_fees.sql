select * from {{ ref('stg_loans') }} where fee < 0
