{#- Strategies of incremental models. dbt-spark does not dispatch the first two, so they bear its names. -#}

{% macro dbt_spark_validate_get_incremental_strategy(raw_strategy, file_format) %}
  {%- set known = ['append', 'merge', 'insert_overwrite', 'replace_where', 'microbatch'] -%}
  {%- if raw_strategy not in known -%}
    {%- do exceptions.raise_compiler_error(
      'Invalid incremental strategy provided: ' ~ raw_strategy ~ '. Expected one of: ' ~ known | join(', ')
    ) -%}
  {%- endif -%}
  {#- dbt-spark's own default is append. As on Databricks, a key that is given is heeded. -#}
  {%- if config.get('incremental_strategy') is none and deltasql_keys(config.get('unique_key')) -%}
    {{ return('merge') }}
  {%- endif -%}
  {{ return(raw_strategy) }}
{% endmacro %}


{% macro deltasql_keys(unique_key) %}
  {#- The columns of a key; an empty text is none. -#}
  {%- set given = [unique_key] if unique_key is string else unique_key or [] -%}
  {{ return(given | map('trim') | select | list) }}
{% endmacro %}


{% macro dbt_spark_get_incremental_sql(strategy, source, target, existing, unique_key, incremental_predicates) %}
  {%- if strategy == 'append' -%}
    {%- set columns = deltasql_columns(deltasql_written_columns(source, target), false) -%}
    insert into {{ target }} ({{ columns }}) select {{ columns }} from {{ source }}
  {%- elif strategy == 'insert_overwrite' -%}
    {#- Of partitions where there are any: the materialization has SET the mode. -#}
    {%- set columns = deltasql_columns(deltasql_written_columns(source, target), false) -%}
    insert overwrite table {{ target }} ({{ columns }}) select {{ columns }} from {{ source }}
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


{% macro deltasql_written_columns(source, target) %}
  {#- The target's columns. append_new_columns keeps those that the model has no more, which get NULL in new rows. -#}
  {%- set columns = adapter.get_columns_in_relation(target) -%}
  {%- if config.get('on_schema_change') != 'append_new_columns' -%}
    {{ return(columns) }}
  {%- endif -%}
  {%- set given = adapter.get_columns_in_relation(source) | map(attribute='name') | map('lower') | list -%}
  {%- set written = [] -%}
  {%- for column in columns if column.name | lower in given -%}
    {%- do written.append(column) -%}
  {%- endfor -%}
  {{ return(written) }}
{% endmacro %}


{% macro deltasql__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
  {%- set predicates = [incremental_predicates] if incremental_predicates is string else incremental_predicates or [] -%}
  {%- set keys = deltasql_keys(unique_key) -%}
  {%- set conditions = [] + predicates -%}
  {%- for key in keys -%}
    {%- do conditions.append('DBT_INTERNAL_SOURCE.' ~ key ~ ' = DBT_INTERNAL_DEST.' ~ key) -%}
  {%- endfor -%}
  {%- set existing = adapter.get_columns_in_relation(target) -%}
  {%- set written = deltasql_written_columns(source, target) -%}
  {%- set updated = get_merge_update_columns(
    config.get('merge_update_columns'), config.get('merge_exclude_columns'), written
  ) -%}
  {%- if not updated and written | length < existing | length -%}
    {%- set updated = written | map(attribute='quoted') | list -%}
  {%- endif -%}
  merge into {{ target }} as DBT_INTERNAL_DEST
  using {{ source }} as DBT_INTERNAL_SOURCE
  on {{ ('(' ~ conditions | join(') and (') ~ ')') if keys else 'false' }}
  when matched then update set
    {% if not updated %}*{% endif %}
    {%- for column in updated or [] -%}
      {{ column }} = DBT_INTERNAL_SOURCE.{{ column }}{{ ', ' if not loop.last }}
    {%- endfor %}
  when not matched then insert
    {% if written | length == existing | length -%}
      *
    {%- else -%}
      ({{ deltasql_columns(written, false) }})
      values (DBT_INTERNAL_SOURCE.{{ written | map(attribute='quoted') | join(', DBT_INTERNAL_SOURCE.') }})
    {%- endif %}
{% endmacro %}


{% macro deltasql_replace_where_sql(source, target, predicates) %}
  {%- set columns = deltasql_columns(deltasql_written_columns(source, target), false) -%}
  {%- set condition = '(' ~ predicates | join(') and (') ~ ')' -%}
  insert into {{ target }} ({{ columns }}) replace where {{ condition }}
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
