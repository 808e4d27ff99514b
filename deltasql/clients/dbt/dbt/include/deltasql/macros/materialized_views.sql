{#- Materialized views and streaming tables: tables that REFRESH fills. -#}

{%- materialization streaming_table, adapter='deltasql' -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target_relation = this.incorporate(type=this.StreamingTable) -%}
  {%- set intermediate = make_intermediate_relation(target_relation) -%}
  {%- set backup = make_backup_relation(target_relation, target_relation.type) -%}
  {%- do materialized_view_setup(backup, intermediate, pre_hooks) -%}
  {%- set build_sql = deltasql_streaming_table_sql(existing, target_relation) -%}
  {%- if build_sql -%}
    {%- do materialized_view_execute_build_sql(build_sql, existing, target_relation, post_hooks) -%}
  {%- else -%}
    {%- do materialized_view_execute_no_op(target_relation) -%}
  {%- endif -%}
  {%- do materialized_view_teardown(backup, intermediate, post_hooks) -%}
  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization -%}


{% macro deltasql_streaming_table_sql(existing, target_relation) %}
  {%- if existing is none -%}
    {{ return(deltasql_create_refreshed_sql(target_relation, sql)) }}
  {%- elif not existing.is_streaming_table -%}
    {{ return(get_replace_sql(existing, target_relation, sql)) }}
  {%- endif -%}
  {%- set change = deltasql_refreshed_change(existing, sql) -%}
  {%- if should_full_refresh() and change is none -%}
    {{ return(deltasql_refresh_sql(target_relation) ~ ' full') }}
  {%- elif should_full_refresh() -%}
    {{ return(get_replace_sql(existing, target_relation, sql)) }}
  {%- elif change is none -%}
    {{ return(deltasql_refresh_sql(target_relation)) }}
  {%- endif -%}
  {%- set found = 'Configuration changes were identified and `on_configuration_change` was set to `'
    ~ config.get('on_configuration_change') ~ '` for `' ~ target_relation.render() ~ '`' -%}
  {%- if config.get('on_configuration_change') == 'continue' -%}
    {%- do exceptions.warn(found) -%}
    {{ return('') }}
  {%- elif config.get('on_configuration_change') == 'fail' -%}
    {%- do exceptions.raise_fail_fast_error(found) -%}
  {%- endif -%}
  {{ return(get_alter_materialized_view_as_sql(target_relation, change, sql, existing, none, none)) }}
{% endmacro %}


{% macro deltasql__get_create_materialized_view_as_sql(relation, sql) %}
  {{- deltasql_create_refreshed_sql(relation, sql) -}}
{% endmacro %}


{% macro deltasql__get_replace_materialized_view_sql(relation, sql) %}
  {{- deltasql_create_refreshed_sql(relation, sql) -}}
{% endmacro %}


{% macro deltasql_create_refreshed_sql(relation, sql, is_run=true) %}
  {#- Without is_run the statement is only compared: the header and the columns, for which the query is asked, are left out. -#}
  {%- if is_run -%}
    {{ config.get('sql_header') or '' }}{{ '\n' }}
  {%- endif -%}
  create or {{ 'refresh' if relation.is_streaming_table else 'replace' }} {{ relation.kind }} {{ relation.render() }}
  {{ deltasql_refreshed_elements(relation, sql, is_run) }}
  {{ partition_cols(label="partitioned by") }}
  {{ clustered_cols(label="clustered by") }}
  {{ comment_clause() }}
  {{ tblproperties_clause() }}
  {{ adapter.schedule_clause(config.get('schedule')) }}
  as
  {{ sql }}
{% endmacro %}


{% macro deltasql_refreshed_elements(relation, sql, is_run) %}
  {#- Of a streaming table the comments are written afterwards: its query cannot be asked for its columns. -#}
  {%- set elements = [] -%}
  {%- if is_run and relation.is_materialized_view and config.persist_column_docs() and model.columns -%}
    {%- for name in get_columns_in_query(sql) -%}
      {%- do elements.append(get_column_comment_sql(name, model.columns) | trim) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- if config.get('contract').enforced -%}
    {%- if relation.is_streaming_table -%}
      {%- do exceptions.raise_compiler_error(
        'A streaming table has no contract: its query cannot be asked for its columns before it runs. Leave '
        ~ '`contract` out, and write CAST in the query.'
      ) -%}
    {%- endif -%}
    {%- do get_assert_columns_equivalent(sql) -%}
    {%- for constraint in model.constraints -%}
      {%- do elements.append(deltasql_refreshed_check(relation, constraint)) -%}
    {%- endfor -%}
    {%- for name in model.columns -%}
      {%- for constraint in model.columns[name]['constraints'] -%}
        {%- do elements.append(deltasql_refreshed_check(relation, constraint)) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return('(' ~ elements | join(', ') ~ ')' if elements else '') }}
{% endmacro %}


{% macro deltasql_refreshed_check(relation, constraint) %}
  {%- if constraint.type != 'check' -%}
    {%- do exceptions.raise_compiler_error(
      'A ' ~ relation.kind ~ ' has constraints of the type check alone, and ' ~ this ~ ' has one of the type '
      ~ constraint.type ~ '. Write it as a check, such as `id is not null`, or as a data test.'
    ) -%}
  {%- endif -%}
  {%- set name = constraint.name or 'dbt_' ~ local_md5(this.identifier ~ constraint.expression) -%}
  {{ return('constraint ' ~ name ~ ' check (' ~ constraint.expression ~ ')') }}
{% endmacro %}


{% macro deltasql__refresh_materialized_view(relation) %}
  {{- deltasql_refresh_sql(relation) -}}
{% endmacro %}


{% macro deltasql_refresh_sql(relation) %}
  {{ return('refresh ' ~ relation.kind ~ ' ' ~ relation.render()) }}
{% endmacro %}


{% macro deltasql__get_materialized_view_configuration_changes(existing_relation, new_config) %}
  {{ return(deltasql_refreshed_change(existing_relation, sql)) }}
{% endmacro %}


{% macro deltasql_refreshed_change(relation, sql) %}
  {%- set current = run_query('show create table ' ~ relation.render()) -%}
  {{ return(adapter.refreshed_change(current[0][0], deltasql_create_refreshed_sql(relation, sql, is_run=false))) }}
{% endmacro %}


{% macro deltasql__get_alter_materialized_view_as_sql(
  relation, configuration_changes, sql, existing_relation, backup_relation, intermediate_relation
) %}
  {#- A new query of a streaming table holds for new rows; that of a materialized view for all. -#}
  {%- if configuration_changes.replaced or (configuration_changes.is_query_changed and relation.is_materialized_view) -%}
    {{ get_replace_sql(existing_relation, relation, sql) }}
  {%- else -%}
    {%- for altered in configuration_changes.altered -%}
      alter {{ relation.kind }} {{ relation.render() }} {{ altered }};{{ '\n' }}
    {%- endfor -%}
    {%- if configuration_changes.is_query_changed -%}
      {{ deltasql_create_refreshed_sql(relation, sql) }}
    {%- else -%}
      {{ deltasql_refresh_sql(relation) }}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__get_replace_sql(existing_relation, target_relation, sql) %}
  {%- if existing_relation.is_materialized_view and target_relation.is_materialized_view -%}
    {{ get_replace_materialized_view_sql(target_relation, sql) }}
  {%- elif target_relation.is_refreshed -%}
    {#- A query that fails leaves what is there. -#}
    {%- set intermediate = make_intermediate_relation(target_relation) -%}
    {%- do adapter.cache_dropped(existing_relation) -%}
    {{ deltasql_create_refreshed_sql(intermediate, sql) }}
    ;
    {{ get_drop_sql(existing_relation) }};
    {{ get_rename_sql(intermediate, target_relation.render()) }}
  {%- else -%}
    {{ default__get_replace_sql(existing_relation, target_relation, sql) }}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__get_drop_sql(relation) %}
  drop {{ relation.kind }} if exists {{ relation.render() }}
{% endmacro %}


{% macro deltasql__drop_relation(relation) %}
  {%- call statement('drop_relation', auto_begin=False) -%}
    drop {{ relation.kind }} if exists {{ relation.render() }}
  {%- endcall -%}
{% endmacro %}


{% macro deltasql__get_rename_sql(relation, new_name) %}
  alter {{ relation.kind }} {{ relation.render() }} rename to {{ new_name }}
{% endmacro %}


{% macro deltasql__rename_relation(from_relation, to_relation) %}
  {%- call statement('rename_relation') -%}
    alter {{ from_relation.kind }} {{ from_relation.render() }} rename to {{ to_relation.render() }}
  {%- endcall -%}
{% endmacro %}
