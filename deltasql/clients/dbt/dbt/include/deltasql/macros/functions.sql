{#- Functions of a project, and those that dbt's macros call. -#}

{% macro deltasql__safe_cast(field, type) %}
  {#- ANSI mode is on: a cast that fails is an error. -#}
  {%- set bare = field is string and cast_from_string_unsupported_for(type) -%}
  try_cast({{ field.strip('"').strip("'") if bare else field }} as {{ type }})
{% endmacro %}


{% macro deltasql__split_part(string_text, delimiter_text, part_number) %}
  split_part({{ string_text }}, {{ delimiter_text }}, {{ part_number }})
{% endmacro %}


{% macro deltasql__scalar_function_create_replace_signature_sql(target_relation) %}
  CREATE OR REPLACE FUNCTION {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
  RETURNS {{ model.returns.data_type }}
  {{ scalar_function_volatility_sql() }}
{% endmacro %}


{% macro deltasql__scalar_function_python(target_relation) %}
  {%- set packages = model.config.get('packages') -%}
  CREATE OR REPLACE FUNCTION {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
  RETURNS {{ model.returns.data_type }}
  LANGUAGE PYTHON
  {{ scalar_function_volatility_sql() }}
  HANDLER {{ deltasql_text(model.config.get('entry_point')) }}
  {% if packages %}ENVIRONMENT (dependencies = {{ deltasql_text(tojson(packages)) }}){% endif %}
  AS $dbt$
{{ model.compiled_code }}
$dbt$
{% endmacro %}


{% macro deltasql__formatted_scalar_function_args_sql() %}
  {%- set texts = [] -%}
  {%- for argument in model.arguments -%}
    {%- set value = argument.default_value -%}
    {%- set default = '' if value is not defined or value is none else ' DEFAULT ' ~ value -%}
    {%- do texts.append(argument.name ~ ' ' ~ argument.data_type ~ default) -%}
  {%- endfor -%}
  {{ texts | join(', ') }}
{% endmacro %}


{% macro deltasql__scalar_function_volatility_sql() %}
  {%- set volatility = model.config.get('volatility') -%}
  {%- if volatility == 'deterministic' -%}
    DETERMINISTIC
  {%- elif volatility == 'non-deterministic' -%}
    NOT DETERMINISTIC
  {%- elif volatility -%}
    {%- do unsupported_volatility_warning(volatility) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__scalar_function_body_sql() %}
  return {{ model.compiled_code }}
{% endmacro %}


{% macro deltasql__listagg(measure, delimiter_text, order_by_clause, limit_num) %}
  {#- dbt-spark passes over the order. -#}
  {%- if not order_by_clause -%}
    {{ return(spark__listagg(measure, delimiter_text, order_by_clause, limit_num)) }}
  {%- elif limit_num -%}
    array_join(slice(split(
      listagg({{ measure }}, char(31)) within group ({{ order_by_clause }}), char(31)
    ), 1, {{ limit_num }}), {{ delimiter_text }})
  {%- else -%}
    listagg({{ measure }}, {{ delimiter_text }}) within group ({{ order_by_clause }})
  {%- endif -%}
{% endmacro %}


{#- Of a model in Python; dbt-spark does not dispatch it. `write_table` comes from the adapter. -#}
{% macro py_write_table(compiled_code, target_relation) %}
{{ compiled_code }}
write_table(model(dbtObj(spark.table), spark), "{{ target_relation }}")
{% endmacro %}
