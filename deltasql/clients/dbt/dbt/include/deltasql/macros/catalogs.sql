{#- Catalogs, which dbt calls databases. -#}

{% macro deltasql__generate_database_name(custom_database_name=none, node=none) %}
  {{ return((custom_database_name or target.database) | trim) }}
{% endmacro %}


{% macro deltasql__list_schemas(database) %}
  {%- call statement('list_schemas', fetch_result=True, auto_begin=False) -%}
    show schemas in {{ database or target.database }}
  {%- endcall -%}
  {{ return(load_result('list_schemas').table) }}
{% endmacro %}


{% macro deltasql__list_relations_without_caching(schema_relation) %}
  {%- call statement('list_relations_without_caching', fetch_result=True) -%}
    show table extended in {{ schema_relation.without_identifier() }} like '*'
  {%- endcall -%}
  {{ return(load_result('list_relations_without_caching').table) }}
{% endmacro %}


{% macro deltasql__get_or_create_relation(database, schema, identifier, type) %}
  {#- The materialization of snapshots in dbt-spark asks for none. -#}
  {%- set catalog = database or (model.database if model is defined else none) -%}
  {{ return(default__get_or_create_relation(catalog, schema, identifier, type)) }}
{% endmacro %}


{#- Of the rows of a snapshot; dbt-spark does not dispatch it. A temporary view is of the session alone, in any catalog. -#}
{% macro spark_build_snapshot_staging_table(strategy, sql, target_relation) %}
  {%- set staging = make_temp_relation(target_relation, '__dbt_tmp') -%}
  {%- call statement('build_snapshot_staging_relation') -%}
    {{ create_temporary_view(staging, snapshot_staging_table(strategy, sql, target_relation)) }}
  {%- endcall -%}
  {{ return(staging) }}
{% endmacro %}
