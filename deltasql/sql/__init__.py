"""Everything that reads the user's SQL text: relations, references, types and constants of expressions.

`base.tokens` is the tokenizer. `expressions` is the grammar of expressions, `constants` has the values of
literals, and `expression_types` the types of expressions. How types relate is `schema.type_lattice`.
What decides something about a table does not belong here: see `planner` and `skipping`.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    metric_views: MeasureCall MetricView measure_calls metric_view
    metric_windows: windowed_rows
    missing_functions: SECRET_FUNCTIONS BuiltinCall builtin_calls builtin_table own_text refused_functions secret_text
        translated
    constants: DAY EXACT NULL Constant Literal Value as_clock_time as_timestamp clock_time current_micros
        date_days days_of interval_days micros_of moment single timestamp_of unquote
        whole_number written_moment
    evaluated: Case ColumnOf Compared Computed Denied FirstOf IsNull Joined LikePattern NullIf InList Order Recased
        RowExpression RowScope Selection Widened columns_of counting is_ordered may_be_null parquet_paths
        row_condition row_expression selection value_of view_of without_parquet_path
    evaluated_aggregates: AggregateRows AggregateScope counted_rows result_field
    expressions: Binary Brackets CallNode CastTo ColumnNode ComparisonNode Extract IntervalNode IsWord Logic Member
        Node Not Written condition_tree literal
    expression_types: derived_type spelled_collation
    added_calls: HIDDEN_FUNCTION AddedFunction added_functions as_called called_functions column_names
        with_calls
    functions: BODY FUNCTIONS compiled handler_problem is_python_name
    notebooks: Cell cells_of is_notebook source_of_ipynb
    parser: Expected expected_keywords keywords misplaced_word parse parse_type refused_name
    parser.automaton: ExpressionScan GrammarToken Tree insert_starts
    parser.build: TYPE_NAMES Clause builds caret collect read sql_text
    parser.diagnosis: advice
    parser.parameters: SqlValue bind_identifiers bind_parameters bind_versions has_variables markers
        parameter_names table_name
    parser.unsupported: unsupported
    postfix: ASKING UNBOUND BoundStatement json_paths with_json_paths
    queries.incremental: Aggregate AggregateQuery Incremental NotIncrementalError aggregate_query incremental
    queries.query_facts: NamedMetadata calls_by_schema derived_columns misplaced most_rows named_columns
        selected_rows
    queries.query_parts: _is_alone constants_of end_of_plain_projection find inner_query outline plain_columns
        scan_filters scan_limits unknown_columns
    queries.relations: EVENT_LOG_FUNCTION FILE_FUNCTIONS TableReference table_references
    references: AGGREGATES ColumnReference Scope UsedNames column_references corresponding equal_sides
        free_names has_aggregate has_subquery is_deterministic is_stable meant name_chains names_collation
        parse_expression parse_statement refers_to split_conjuncts stars_spelled subqueries unfinished
        unreadable_part without_from
    row_literals: LiteralColumn LiteralRows as_type literal_constant literal_rows
    statement_texts: Replacement SessionUser Spliced Statement bind block_end current_names declared_variables
        is_complete is_script second_query splice split statement_words unclosed unnamed_columns
    stored_expressions: FunctionCall FunctionText Parameter ProcedureText PythonText Reason Refusal Use bare
        declared_refusal function_calls function_text procedure_text refusal stored_refusal type_end
    """,
)
