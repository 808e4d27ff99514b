"""Foundations: errors, options and settings, time zones, packages that are imported late, interrupts and progress.

Nothing here knows tables, SQL or engines.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    errors.base: Caret DeltaSqlError LeftToEngineError condition counted help_text
    errors.secrets: conceal has_secret is_secret reveal shown_pairs shown_value without_concealed
        without_secrets without_secrets_of
    errors.suggestion: OPEN_SET closest did_you_mean meant resembles resembling similar_names
    errors.written: DuplicatePlace
    interrupts: AGAIN_AFTER InterruptibleWork cancel_with cancellable check interruptible next_step note_commit
        note_doubt settle shielded telling
    lazy: F Numbers exp metadata np pa pc pq sqlglot
    patterns: BLANK COMMENT_CLOSING COMMENT_OPENING DOLLAR_TEXT GAP LINE_COMMENT NUMBER QUOTED_NAME STRING WORD
    progress: Listener Progress Watch
    registry.entries: CODECS Registry RegistryEntry any_text boolean byte_size column_paths compaction count
        integer interval_ms one_of some_of
    settings.engines: ENGINES SAIL chosen_engine requested_engine
    settings.session_settings: ANSI ANSWER_FROM_LOG ARBITRARY_PROPERTIES AUTOMATIC_WIDENING AUTO_COMPACT
        AUTO_COMPACT_MAX_FILE_SIZE AUTO_COMPACT_MIN_FILES AUTO_COMPACT_MIN_FILE_SIZE AUTO_COMPACT_WRITTEN_ONLY
        AUTO_CREATE AUTO_MERGE BYPASS_LOCATION_CHECK CASE_SENSITIVE CHANGES_OUT_OF_RANGE COLLECT_STATISTICS
        COMMIT_PROBE COMPUTE CONSTRAINT_MAY_MISS CONVERT_IGNORES_CASTS DEFAULTS DELETE_VECTORS FOLLOW_ROWS
        FSCK_MOST_ROWS FSYNC GOVERNANCE GOVERNANCE_FILTERS IGNORE_MISSING_FILES IO_MODE LAST_COMMIT_VERSION
        MEANING MEMORY_LIMIT MERGE_VECTORS METRICS OPTIMIZE_DELETED_RATIO OPTIMIZE_MAX_FILE_SIZE
        OPTIMIZE_MIN_FILE_SIZE OPTIMIZE_WRITE OPTIMIZE_WRITE_BIN PARTITION_OVERWRITE_MODE PROPERTY_DEFAULTS
        REPLACE_WHERE_CHECK RESTORE_DOWNGRADE RETENTION_CHECK RETRY_ATTEMPTS RETRY_STATEMENTS ROW_LEVEL
        ROW_LEVEL_BYTES ROW_LEVEL_FILES ROW_LEVEL_SECONDS ROW_LEVEL_SUBQUERIES SETTINGS STATISTICS_SKIP
        STORE_ASSIGNMENT STRICT_UNSET STRICT_WRITE_SERIALIZABLE STRUCTS_BY_NAME TIME_ZONE TXN_APP_ID
        TXN_AUTO_RESET TXN_VERSION UNPROVEN UPDATE_VECTORS USER_METADATA VACUUM_LITE VACUUM_LOGGING
        ZORDER_STATS_CHECK SessionSettings Setting changes_query_meaning has_plain_meaning
        preserve_literal_values
    timezone: is_zone machine_zone_name offset_name parse_timestamp zone
    version: __version__
    """,
)
