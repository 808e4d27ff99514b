{% macro look() %}
  {%- set found = adapter.get_relation(database='marts', schema='shop', identifier='PER_DAY') -%}
  {%- set other = adapter.get_relation(database=target.database, schema='shop', identifier='per_day') -%}
  {%- set plain = adapter.get_relation(database=none, schema='shop', identifier='summary') -%}
  {%- do run_query("create or replace table shop.looked as select '" ~ found ~ "' as found, '" ~ other ~ "' as other, '" ~ plain ~ "' as plain") -%}
  {%- do adapter.create_schema(api.Relation.create(database='marts', schema='passing')) -%}
  {%- do adapter.drop_schema(api.Relation.create(database='marts', schema='passing')) -%}
{% endmacro %}
