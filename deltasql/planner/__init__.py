"""Code that the rules of several families of statements share: a Context of tables, plans, binding, values of columns.

A rule reads a Context and changes nothing. Its plan is run by `session.execution`.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    alignment: Alignment ResolvedAssignment StructRule assigned_values dotted length_checks new_columns
        refuse_conflicts same_type store_casts stored updated_struct
    answers: answered_rows refuse_parameters refuse_temporary refuse_variables settings_of_text tracked_metadata
    binding: bind check_python position_in
    catalog_changes: CatalogChange CatalogChoice CatalogComment CatalogCreation CatalogProperties CatalogRemoval
        Creation FunctionChange FunctionDefining GovernanceChange Redefinition Registration Relocation
        RenameChange SchemaChoice SchemaComment SchemaCreation SchemaProperties SchemaRemoval SecurableChange
        SecurableCreation SourceDefining TemporaryFunction Undropping Unregistration View ViewChange ViewDefining
        ViewRemoval VolumeComment VolumeCreation VolumeRemoval VolumeRenaming
    change_feed: derived_changes enforced refuse_enforced rows_of_changes unrestricted
    changes: COPIED INSERTED KEY_VALUE OPTIMIZED OUTCOME_SCHEMAS REFRESHED Analysis Answer AtomicBlock
        BlockStatement CallArgument Candidates CloneChange CommitSpec CopyLoad Cubes DynamicOverwrite FileRemoval
        FileTransfer LayoutChange LayoutInput LayoutOutcome LogRows ManifestChange Plan Preview ProcedureCall QueryRows
        RowChange SettingChange SingleCommit SourceWrite SparkCommand Step Stepwise TableChange TransactionStep
        Verification layout_metrics layout_row
    computed_columns: CURRENT_DEFAULT GENERATION DefaultKeyword automatic_widening check_generation
        checked_default declared_widening default_keywords default_sql generated_checks generated_sql
        generation_of recomputed refuse_base_change refuse_dependent_types replace_defaults stored_generation
        types_of without_comments
    context: GLOBAL Context VisibleViews plan
    door: RewriteOutcome RowReader Runtime Stage StatementEngine
    foreign: FORMATS ICEBERG FoundColumns discovered found_columns listed_files log_path partition_texts
        source_snapshot table_snapshot
    information: moment
    read_files: FILE_FORMATS READ_FORMATS CopyOptions check_partitions copy_options file_call found_files
        location_of rows_of_call
    row_changes: WHOLE_TABLE inserted_rows may_repeat must_materialize_source partition_test reads_of
        reads_of_files reads_of_itself recorded row_change scans
    scope: Scope Side behind_view masking restricted side type_at unqualified visible_rows with_ctes
        with_distinct_aliases
    """,
)
