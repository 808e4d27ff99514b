"""Parquet data files of tables: footers, statistics, rows as Arrow, and files that Arrow writes.

Independent of engines and PySpark: everything runs in this process, for every engine and for the log.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    footers: NAN_SAFE_KEY UNSURE_BOUNDS bounds_are_sure float_leaves footer foreign_columns has_nested_ids
        readable sure_bounds with_nested_ids working
    foreign.tables: SourceFile SourceTable column_pieces folder_values iceberg_source parquet_columns
        parquet_files read_columns source_statistics source_table
    frame_options: Option Options StreamOptions stream_options
    reading.file_reader: ADDRESS CORES DESCRIPTION OLD_DAYS ROW_BITS FileReader Piece RowFilter are_among
        batches count_live_rows encoded_name footer_columns group_sizes in_memory index_mask is_of_old_calendar
        reader_schema results_of row_count row_group_rows slice_between spark_uri split_addresses tables_of widest
    reading.file_tables: deleted_by_file file_numbers file_pieces literal_table located missing_file
        readable_files rows_by_file starts vector_positions
    rendering: AUTO FORMATS
    rendering.html: diff_html
    rendering.progress: ProgressLine number_text size_text
    rendering.shapes: shown_shapes
    rendering.values: Grid Page error_classes help_on render value_text zone_of
    result: AnsweredRows Columnar CommandRows Placed Result Row RowSource to_row
    stage: RUNNING FileStage SessionFacts available_memory memory_limit require_memory
    statistics.of_footers: extremes float_bounds recomputed with_sure_bounds
    thresholds: BROADCAST_ROWS FEW_BYTES FEW_FILES FEW_ROWS KEYED_BYTES
        LARGE_PART MEMORY_SHARE STORE_BYTES TINY_BYTES UNPACKED
    writing.arrow_files: CHANGE_DATA DIRECTORY_PREFIX ORIGIN Staged StagedFile WrittenFile as_stored
        by_directory data_entries directory_name directory_of encoded write_pieces write_tables written_files
    writing.spliced_files: may_splice_from
    writing.successors: CompactionGroup FileInMemory RewrittenFile
    """,
)
