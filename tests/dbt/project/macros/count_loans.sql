{% macro count_loans(least) %}
  {% set found = run_query('select count(*) as n from ' ~ ref('loans_seed') ~ ' where id >= ' ~ least) %}
  {% do run_query('create or replace table ' ~ target.schema ~ '.counted as select ' ~ found.columns[0][0] ~ ' as n') %}
{% endmacro %}
