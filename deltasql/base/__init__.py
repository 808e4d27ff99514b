"""Foundations: errors, options and settings, tokens of SQL, time zones, late imports, interrupts and progress.

Nothing here knows tables, statements or engines.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    engine_names: ENGINES SAIL chosen_engine requested_engine
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
    session_settings: CASE_SENSITIVE COMPUTE DEFAULTS IO_MODE TIME_ZONE SessionSettings Setting
        changes_query_meaning has_plain_meaning preserve_literal_values
    tokens: AFTER_COLUMNS PIECE TOKEN Token TokenCursor balanced_end calls closing comma_separated
        comment_end not_closed require_value skip_blanks tokenize tokens_from
    timezone: is_zone machine_zone_name offset_name parse_timestamp zone
    version: __version__
    """,
)
