{#- Strategies of incremental models. dbt-spark does not dispatch these two, so they bear its names. -#}

{% macro dbt_spark_validate_get_incremental_strategy(raw_strategy, file_format) %}
  {%- set known = ['append', 'merge', 'insert_overwrite', 'replace_where', 'microbatch'] -%}
  {%- if raw_strategy not in known -%}
    {%- do exceptions.raise_compiler_error(
      'Invalid incremental strategy provided: ' ~ raw_strategy ~ '. Expected one of: ' ~ known | join(', ')
    ) -%}
  {%- endif -%}
  {{ return(raw_strategy) }}
{% endmacro %}


{% macro dbt_spark_get_incremental_sql(strategy, source, target, existing, unique_key, incremental_predicates) %}
  {%- if strategy == 'append' -%}
    {{ get_insert_into_sql(source, target) }}
  {%- elif strategy == 'insert_overwrite' -%}
    {{ get_insert_overwrite_sql(source, target, existing) }}
  {%- elif strategy == 'replace_where' -%}
    {%- if not incremental_predicates -%}
      {%- do exceptions.raise_compiler_error(
        "replace_where needs incremental_predicates: the rows that make way, such as [\"day = '2024-05-01'\"]"
      ) -%}
    {%- endif -%}
    {%- set predicates = [incremental_predicates] if incremental_predicates is string else incremental_predicates -%}
    {{ deltasql_replace_where_sql(source, target, predicates) }}
  {%- elif strategy == 'microbatch' -%}
    {{ deltasql_replace_where_sql(source, target, deltasql_batch_predicates()) }}
  {%- else -%}
    {{ get_merge_sql(target, source, unique_key, dest_columns=none, incremental_predicates=incremental_predicates) }}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_replace_where_sql(source, target, predicates) %}
  {%- set columns = adapter.get_columns_in_relation(target) | map(attribute='quoted') | join(', ') -%}
  {%- set condition = '(' ~ predicates | join(') and (') ~ ')' -%}
  insert into {{ target }} replace where {{ condition }}
  select {{ columns }} from {{ source }} where {{ condition }}
{% endmacro %}


{% macro deltasql_batch_predicates() %}
  {%- set column = model.config.event_time -%}
  {%- set predicates = [] -%}
  {%- if model.batch and model.batch.event_time_start -%}
    {%- do predicates.append('cast(' ~ column ~ " as timestamp) >= timestamp '" ~ model.batch.event_time_start ~ "'") -%}
  {%- endif -%}
  {%- if model.batch and model.batch.event_time_end -%}
    {%- do predicates.append('cast(' ~ column ~ " as timestamp) < timestamp '" ~ model.batch.event_time_end ~ "'") -%}
  {%- endif -%}
  {%- if not predicates -%}
    {%- do exceptions.raise_compiler_error('microbatch needs the bounds of a batch; run it through dbt run or build') -%}
  {%- endif -%}
  {{ return(predicates) }}
{% endmacro %}
