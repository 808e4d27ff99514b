{{ config(
    materialized='streaming_table' if var('form') == 'materialized_view' else var('form'),
    liquid_clustered_by=var('clusters'),
    schedule={'on_update': true}
) }}
select id, region from {% if var('form') == 'materialized_view' %}STREAM({{ ref('orders') }}){% else %}{{ ref('orders') }}{% endif %}
where amount > {{ var('least') }}
