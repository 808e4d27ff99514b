{#- What a relation needs otherwise than in dbt-spark. -#}

{%- materialization view, adapter='deltasql' -%}
  {%- set done = create_or_replace_view() -%}
  {%- if config.persist_column_docs() and model.columns -%}
    {#- Warns of columns that are described and not there: the view has its comments. -#}
    {%- do persist_docs(done['relations'][0], model, for_relation=false) -%}
  {%- endif -%}
  {{ return(done) }}
{%- endmaterialization -%}


{% macro deltasql__create_view_as(relation, sql) %}
  {{ config.get('sql_header') or '' }}
  {{ spark__create_view_as(relation, sql) }}
{% endmacro %}


{% macro deltasql__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {%- if language == 'sql' -%}
    {{ config.get('sql_header') or '' }}{{ '\n' }}
  {%- endif -%}
  {{- spark__create_table_as(temporary, relation, compiled_code, language) -}}
{% endmacro %}


{% macro deltasql__clustered_cols(label, required=false) %}
  {#- As dbt-databricks calls them. -#}
  {%- set columns = config.get('liquid_clustered_by') -%}
  {%- if config.get('auto_liquid_cluster') -%}
    cluster by auto
  {%- elif columns -%}
    cluster by ({{ columns if columns is string else columns | join(', ') }})
  {%- else -%}
    {{ spark__clustered_cols(label, required) }}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__tblproperties_clause() %}
  {#- dbt-spark escapes no quotes. -#}
  {%- set pairs = [] -%}
  {%- for key, value in (config.get('tblproperties') or {}).items() -%}
    {%- set text = value | string | lower if value is boolean else value | string -%}
    {%- do pairs.append(deltasql_text(key | string) ~ ' = ' ~ deltasql_text(text)) -%}
  {%- endfor -%}
  {%- if pairs -%}
    tblproperties ({{ pairs | join(', ') }})
  {%- endif -%}
{% endmacro %}


{% macro deltasql__make_temp_relation(base_relation, suffix) %}
  {{ return(spark__make_temp_relation(base_relation, suffix).incorporate(type='view')) }}
{% endmacro %}


{% macro deltasql__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
  {{ return(create_csv_table(model, agate_table)) }}
{% endmacro %}


{% macro deltasql__create_csv_table(model, agate_table) %}
  {#- An existing table keeps its history, and its readers see it at any time. -#}
  {%- set types = model['config'].get('column_types') or {} -%}
  {%- set columns = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- set quoted = adapter.quote_seed_column(name | string, model['config'].get('quote_columns')) -%}
    {%- do columns.append(quoted ~ ' ' ~ types.get(name, adapter.convert_type(agate_table, loop.index0))) -%}
  {%- endfor -%}
  {%- set sql -%}
    create or replace table {{ this.render() }} ({{ columns | join(', ') }})
    {{ file_format_clause() }}
    {{ tblproperties_clause() }}
    {{ partition_cols(label="partitioned by") }}
    {{ clustered_cols(label="clustered by") }}
    {{ location_clause() }}
    {{ comment_clause() }}
  {%- endset -%}
  {%- call statement('_') -%}
    {{ sql }}
  {%- endcall -%}
  {{ return(sql) }}
{% endmacro %}


{% macro deltasql__load_csv_rows(model, agate_table) %}
  {%- set types = model['config'].get('column_types') or {} -%}
  {%- set statements = [] -%}
  {%- for chunk in agate_table.rows | batch(get_batch_size()) -%}
    {%- set rows = [] -%}
    {%- for row in chunk -%}
      {%- set values = [] -%}
      {%- for name in agate_table.column_names -%}
        {%- do values.append(adapter.seed_literal(row[name], types.get(name))) -%}
      {%- endfor -%}
      {%- do rows.append('(' ~ values | join(', ') ~ ')') -%}
    {%- endfor -%}
    {%- set sql = 'insert into ' ~ this.render() ~ ' values\n' ~ rows | join(',\n') -%}
    {%- do adapter.add_query(sql, abridge_sql_log=True) -%}
    {%- if loop.first -%}{%- do statements.append(sql) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(statements[0]) }}
{% endmacro %}


{% macro deltasql__persist_constraints(relation, model) %}
  {#- Columns first: a primary key wants columns that are NOT NULL. -#}
  {%- if config.get('contract').enforced -%}
    {%- do alter_column_set_constraints(relation, model.columns) -%}
    {%- do alter_table_add_constraints(relation, model.constraints) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__alter_table_add_constraints(relation, constraints) %}
  {%- if not is_incremental() -%}
    {%- for constraint in constraints -%}
      {%- set body = deltasql_constraint_body(constraint, constraint.columns or []) -%}
      {%- do deltasql_add_constraint(relation, constraint, body) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__alter_column_set_constraints(relation, column_dict) %}
  {#- In any order in the project: a primary key wants its columns NOT NULL. -#}
  {%- if not is_incremental() -%}
    {%- for is_first in [true, false] -%}
      {%- for name in column_dict -%}
        {%- set quoted = adapter.quote(name) if column_dict[name]['quote'] else name -%}
        {%- for constraint in column_dict[name]['constraints'] if (constraint.type == 'not_null') == is_first -%}
          {%- do deltasql_constrain_column(relation, quoted, constraint) -%}
        {%- endfor -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_constrain_column(relation, column, constraint) %}
  {%- if constraint.type == 'not_null' -%}
    {%- call statement() -%}
      alter table {{ relation.render() }} alter column {{ column }} set not null
    {%- endcall -%}
  {%- else -%}
    {%- do deltasql_add_constraint(relation, constraint, deltasql_constraint_body(constraint, [column])) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_constraint_body(constraint, columns) %}
  {%- set keys = columns | join(', ') -%}
  {%- if constraint.type == 'check' -%}
    {{ return('check (' ~ constraint.expression ~ ')') }}
  {%- elif constraint.type == 'primary_key' -%}
    {{ return('primary key (' ~ keys ~ ')') }}
  {%- elif constraint.type == 'foreign_key' and constraint.to -%}
    {{ return('foreign key (' ~ keys ~ ') references ' ~ constraint.to ~ ' (' ~ constraint.to_columns | join(', ') ~ ')') }}
  {%- elif constraint.type == 'foreign_key' -%}
    {#- With the word or, as in other adapters, without it. -#}
    {%- set word = '' if constraint.expression | lower | trim | truncate(10, true, '') == 'references' else 'references ' -%}
    {{ return('foreign key (' ~ keys ~ ') ' ~ word ~ constraint.expression) }}
  {%- elif constraint.type == 'custom' -%}
    {{ return(constraint.expression) }}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}


{% macro deltasql_add_constraint(relation, constraint, body) %}
  {%- if body is none -%}
    {%- do exceptions.warn('deltasql has no constraint ' ~ constraint.type ~ '; ' ~ relation ~ ' goes without it') -%}
  {%- else -%}
    {%- set name = constraint.name or 'dbt_' ~ local_md5(relation.identifier ~ body) -%}
    {%- call statement() -%}
      alter table {{ relation.render() }} add constraint {{ name }} {{ body }}
    {%- endcall -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__get_columns_in_relation(relation) %}
  {#- dbt-spark gives rows, whose names dbt-core does not find: snapshots of deleted rows would hold NULLs. -#}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{% endmacro %}


{% macro deltasql__get_columns_in_relation_raw(relation) %}
  {#- With --empty a relation is a query in SQL, unless it is rendered. -#}
  {%- call statement('get_columns_in_relation_raw', fetch_result=True) -%}
    describe extended {{ relation.render() }}
  {%- endcall -%}
  {{ return(load_result('get_columns_in_relation_raw').table) }}
{% endmacro %}


{% macro deltasql__alter_column_type(relation, column_name, new_column_type) %}
  {%- call statement('alter_column_type') -%}
    alter table {{ relation.render() }} alter column {{ adapter.quote(column_name) }} type {{ new_column_type }}
  {%- endcall -%}
{% endmacro %}


{% macro deltasql__create_columns(relation, columns) %}
  {#- New columns of a snapshot. dbt-spark takes those in which it keeps the parts of a key for new, too. -#}
  {%- set new = [] -%}
  {%- for column in columns if not column.name.startswith('dbt_unique_key_') -%}
    {%- do new.append(column) -%}
  {%- endfor -%}
  {%- if new -%}
    {%- do alter_relation_add_remove_columns(relation, new, none) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
  {%- if remove_columns -%}
    {%- do deltasql_may_drop_columns(relation, remove_columns) -%}
  {%- endif -%}
  {%- if add_columns -%}
    {%- do run_query('alter table ' ~ relation.render() ~ ' add columns (' ~ deltasql_columns(add_columns, true) ~ ')') -%}
  {%- endif -%}
  {%- if remove_columns -%}
    {%- do run_query('alter table ' ~ relation.render() ~ ' drop columns (' ~ deltasql_columns(remove_columns, false) ~ ')') -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_may_drop_columns(relation, columns) %}
  {#- Asked before columns are added: those would stay. -#}
  {%- set properties = {} -%}
  {%- for row in run_query('show tblproperties ' ~ relation.render()) -%}
    {%- do properties.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {%- if execute and properties.get('delta.columnMapping.mode', 'none') == 'none' -%}
    {%- do exceptions.raise_compiler_error(
      relation ~ ' has the columns ' ~ deltasql_columns(columns, false) ~ ', which the model has no more, and which only a '
      ~ 'table with column mapping can drop. Set tblproperties: {"delta.columnMapping.mode": "name"} and run with '
      ~ '--full-refresh, or use on_schema_change: append_new_columns.'
    ) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_columns(columns, typed) %}
  {%- set texts = [] -%}
  {%- for column in columns -%}
    {%- do texts.append(column.quoted ~ (' ' ~ column.data_type if typed else '')) -%}
  {%- endfor -%}
  {{ return(texts | join(', ')) }}
{% endmacro %}


{% macro deltasql__apply_grants(relation, grant_config, should_revoke=True) %}
  {#- A project may also run elsewhere: without records it keeps its grants, and they do nothing. -#}
  {%- if grant_config and run_query('set deltasql.governance')[0][1] == 'RECORD' -%}
    {%- do default__apply_grants(relation, grant_config, should_revoke) -%}
  {%- elif grant_config -%}
    {%- do exceptions.warn(
      'deltasql has no rights of users; ' ~ relation ~ ' goes without its grants. With `deltasql.governance: RECORD` in '
      ~ 'the `settings` of the profile they are recorded.'
    ) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__copy_grants() %}
  {#- CREATE OR REPLACE keeps the records, also those of a view. -#}
  {{ return(true) }}
{% endmacro %}


{% macro deltasql_text(text) %}
  {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{% endmacro %}


{% macro deltasql__comment_clause() %}
  {%- if config.persist_relation_docs() and model.description -%}
    comment {{ deltasql_text(model.description) }}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_is_described(name, described, column_name) %}
  {#- With `quote: true` letters count as they are. -#}
  {{ return(name == column_name or (not described['quote'] and name | lower == column_name | lower)) }}
{% endmacro %}


{#- Of a view's column; dbt-spark does not dispatch it. -#}
{% macro get_column_comment_sql(column_name, column_dict) %}
  {%- set told = namespace(description='') -%}
  {%- for name in column_dict if deltasql_is_described(name, column_dict[name], column_name) -%}
    {%- set told.description = column_dict[name]['description'] -%}
  {%- endfor -%}
  {{ adapter.quote(column_name) }} {{ 'comment ' ~ deltasql_text(told.description) if told.description }}
{% endmacro %}


{% macro deltasql__persist_docs(relation, model, for_relation, for_columns) %}
  {#- Comments that are not there yet: each ALTER TABLE is a commit. Functions have none. -#}
  {%- if relation.type == 'function' -%}
    {{ return('') }}
  {%- endif -%}
  {%- set known = {} -%}
  {%- set about = namespace(columns=true, comment='') -%}
  {%- for row in get_columns_in_relation_raw(relation) -%}
    {%- if not row['col_name'] or row['col_name'].startswith('#') -%}
      {%- set about.columns = false -%}
    {%- elif about.columns -%}
      {%- do known.update({row['col_name'] | lower: [row['col_name'], row['comment'] or '']}) -%}
    {%- elif row['col_name'] == 'Comment' -%}
      {%- set about.comment = row['data_type'] or '' -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if for_relation and config.persist_relation_docs() and model.description not in ['', about.comment] -%}
    {%- do run_query('comment on table ' ~ relation.render() ~ ' is ' ~ deltasql_text(model.description)) -%}
  {%- endif -%}
  {%- if for_columns and config.persist_column_docs() and model.columns -%}
    {%- set changes, missing = [], [] -%}
    {%- for name in model.columns -%}
      {%- set description, found = model.columns[name]['description'], known.get(name | lower) -%}
      {%- if found is none or not deltasql_is_described(name, model.columns[name], found[0]) -%}
        {%- do missing.append(name) -%}
      {%- elif description != found[1] -%}
        {%- do changes.append([adapter.quote(found[0]), deltasql_text(description)]) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if missing -%}
      {#- In dbt's own words. -#}
      {%- do exceptions.warn(
        'In relation ' ~ relation.render() ~ ': The following columns are specified in the schema but are not present '
        ~ 'in the database: ' ~ missing | join(', ')
      ) -%}
    {%- endif -%}
    {%- if relation.is_refreshed -%}
      {%- for column, comment in changes -%}
        {%- do run_query('comment on column ' ~ relation.render() ~ '.' ~ column ~ ' is ' ~ comment) -%}
      {%- endfor -%}
    {%- elif changes -%}
      {%- set clauses = changes | map('join', ' comment ') | join(', ') -%}
      {%- do run_query('alter table ' ~ relation.render() ~ ' alter column ' ~ clauses) -%}
    {%- endif -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__create_or_replace_clone(this_relation, defer_relation) %}
  {%- if this_relation.render() == defer_relation.render() -%}
    {#- A snapshot with a schema of its own: nothing to do. In dbt's own words. -#}
    {%- do log('Target relation and defer relation are the same, skipping clone for relation: ' ~ this_relation.render()) -%}
    describe detail {{ this_relation }}
  {%- else -%}
    create or replace table {{ this_relation }} shallow clone {{ defer_relation }}
  {%- endif -%}
{% endmacro %}
