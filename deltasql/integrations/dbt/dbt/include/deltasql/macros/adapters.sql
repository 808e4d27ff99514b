{#- What a relation needs otherwise than in dbt-spark. -#}

{%- materialization view, adapter='deltasql' -%}
  {{ return(create_or_replace_view()) }}
{%- endmaterialization -%}


{% macro deltasql__make_temp_relation(base_relation, suffix) %}
  {{ return(spark__make_temp_relation(base_relation, suffix).incorporate(type='view')) }}
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
  {%- if not is_incremental() -%}
    {%- for name in column_dict -%}
      {%- set column = column_dict[name] -%}
      {%- set quoted = adapter.quote(name) if column['quote'] else name -%}
      {%- for constraint in column['constraints'] -%}
        {%- if constraint.type == 'not_null' -%}
          {%- call statement() -%}
            alter table {{ relation }} alter column {{ quoted }} set not null
          {%- endcall -%}
        {%- else -%}
          {%- do deltasql_add_constraint(relation, constraint, deltasql_constraint_body(constraint, [quoted])) -%}
        {%- endif -%}
      {%- endfor -%}
    {%- endfor -%}
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
    {{ return('foreign key (' ~ keys ~ ') ' ~ constraint.expression) }}
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
      alter table {{ relation }} add constraint {{ name }} {{ body }}
    {%- endcall -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
  {%- if add_columns -%}
    {%- do run_query('alter table ' ~ relation ~ ' add columns (' ~ deltasql_columns(add_columns, true) ~ ')') -%}
  {%- endif -%}
  {%- if remove_columns -%}
    {%- do run_query('alter table ' ~ relation ~ ' drop columns (' ~ deltasql_columns(remove_columns, false) ~ ')') -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql_columns(columns, typed) %}
  {%- set texts = [] -%}
  {%- for column in columns -%}
    {%- do texts.append(column.quoted ~ (' ' ~ column.data_type if typed else '')) -%}
  {%- endfor -%}
  {{ return(texts | join(', ')) }}
{% endmacro %}


{% macro deltasql__generate_database_name(custom_database_name=none, node=none) %}
  {%- if custom_database_name and custom_database_name not in ['spark_catalog', target.schema] -%}
    {%- do exceptions.raise_compiler_error(
      (node.name if node else 'A node') ~ ' has the database (catalog) ' ~ custom_database_name
      ~ ', but a warehouse of deltasql has one, spark_catalog: tables go by schema.table. '
      ~ 'Leave it out, or make it depend on the target.'
    ) -%}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}


{% macro deltasql__apply_grants(relation, grant_config, should_revoke=True) %}
  {#- There are no users. A project that runs elsewhere, too, keeps its grants. -#}
  {%- if grant_config -%}
    {%- do exceptions.warn('deltasql has no rights of users; ' ~ relation ~ ' goes without its grants') -%}
  {%- endif -%}
{% endmacro %}
