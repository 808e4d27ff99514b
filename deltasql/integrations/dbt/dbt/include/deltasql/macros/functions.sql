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
  create or replace function {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
  returns {{ model.returns.data_type }}
  {{ scalar_function_volatility_sql() }}
{% endmacro %}


{% macro deltasql__scalar_function_volatility_sql() %}
  {%- set volatility = model.config.get('volatility') -%}
  {%- if volatility == 'deterministic' -%}
    deterministic
  {%- elif volatility == 'non-deterministic' -%}
    not deterministic
  {%- elif volatility -%}
    {%- do unsupported_volatility_warning(volatility) -%}
  {%- endif -%}
{% endmacro %}


{% macro deltasql__scalar_function_body_sql() %}
  return {{ model.compiled_code }}
{% endmacro %}


{#- Of a model in Python; dbt-spark does not dispatch it. `write_table` comes from the adapter. -#}
{% macro py_write_table(compiled_code, target_relation) %}
{{ compiled_code }}
write_table(model(dbtObj(spark.table), spark), "{{ target_relation }}")
{% endmacro %}
