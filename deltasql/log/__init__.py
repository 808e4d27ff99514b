"""The Delta log: storage, actions, configuration, replay, commit, upkeep; one package each, from the bottom up.

Independent of SQL and Spark.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    actions.actions: Action AddCDCFile AddFile DomainMetadata Json Metadata RemoveFile SetTransaction
        deleted_counts live_rows record_count
    actions.bin_packing: alike bin_sizes first_rows in_order joined_numbers numbers_of packed partition_numbers
        rows_with
    actions.cloned_files: OF_TARGET ClonedFiles deep_files shallow_files
    actions.commit_file: CommitFile
    actions.deletion_vectors: MarkedFile Marking deleted_rows inline_vector mark_rows marked_files vector_file
    actions.file_tables: ADD DELETION_VECTOR action_keys file_locations from_files no_columns
    commit.commit_writer: Provenance of_kind shown_parameters table_level
    commit.conflict: IsolationLevel Rebase
    commit.row_rebase: SOURCE_TAG Bin BinRebase Budget Describe FollowingRebase NewPositions RowPositions
        RowRebase TouchedRows
    commit.transaction: Commit CommitGroup CommitRace PreparedCommit Transaction back_off
        is_contended turn
    committers: CommitCatalog StagedCommit TableCommits
    configuration.keys: Key References column_tags keys_of primary_key read_tags referable_keys table_tags
        view_column_tags with_column_tags with_keys with_table_tags
    configuration.properties: IndexRule IndexedColumn ParsedProperties canonical_key check_configuration
        has_commit_timestamps index_rule indexed_leaves parse_properties partition_keys protocol_for
        unset_properties
    configuration.row_ids: COMPAT_TAG ENABLEMENT_TAG PRESERVED_TAG ROW_TRACKING_DOMAIN ROW_TRACKING_FEATURE
        assigns_row_ids check_compatible check_iceberg_library check_replacement compat_key compat_keys
        compat_tags converts_to_iceberg gives_nested_ids row_id_columns stores_partitions tracks_rows
        universal_formats version_of with_column_mapping with_row_id_columns with_valid_formats
    iceberg.convert: iceberg_table
    iceberg.current_metadata: current_metadata root_uri
    old_files: UnusedFiles hidden_names last_before logged_paths missing_files unused_files vector_location
    operations: Operation Outcome operation_named
    pending: Cut JoinedRows NetActions PinnedLog now_ms pending_commit
    protocol: CATALOG_MANAGED FEATURES Protocol TableFeature final_feature find_feature has_variants
        requested_features
    replay.checkpoint: OLD_DAYS
    replay.snapshot: DeltaLog Snapshot unlogged_snapshot
    skipping.conditions: INTEGRAL AllOf BoundedColumn Condition
    skipping.partition_conditions: Partitions file_mask partition_value rows_of unreadable_text
    skipping.predicates: condition find_column
    skipping.pruning: FileGroup TallyFilter file_groups files_in_partitions first_files has_exact_high
        has_exact_low key_condition matches_partition partition_only prune skip_files skipped
    source_files: COPY_INTO SPECIAL Choice FileSource ListedFile LoadedFiles broken_files encoded find_source
        glob_expression loaded_files newest_part part_path read_parts transaction
    storage.listing: LAST_CHECKPOINT LOG IsHidden TableListing absolute absolute_location canonical
        checksum_beside commit_path decode_path encode_path file_state file_table folder_and_name
        hadoop_location hadoop_scheme is_absolute is_local is_relative is_same_directory is_url local_path
        located may_make may_read no_folders plain_location relative_location relative_path require_regular
        scheme table_location table_uri
    storage.local_store: LocalLogStore
    storage.log_store: FOOTER Entry LogStore Tag copy_files whole_check
    storage.stores: Lent Stores hadoop_settings is_identity open_store
    stream_source: AUTO_PROPERTY CLUSTERING_DOMAIN CLUSTERING_FEATURE CUBE_COLUMNS CUBE_CURVE CUBE_ID PROVIDER
        MarkedRows StreamFile StreamOffset StreamRules StreamSource VersionChanges changes_of clustering_columns
        clustering_domain earliest_version has_traces is_clustered logical_path physical_path version_changes
    table_properties: AUTO_COMPACT AUTO_OPTIMIZE INDEXED_COLUMNS MAX_COLUMN_ID OPTIMIZE_WRITE TARGET_FILE_SIZE
        VARIANT_SHREDDING OnDrop OnReplace Property TableProperties properties_of switches
        without_deltasql_properties
    upkeep.checkpoint_writer: write_checkpoint
    upkeep.manifests: write_manifests
    upkeep.post_commit: forget_versions
    """,
)
