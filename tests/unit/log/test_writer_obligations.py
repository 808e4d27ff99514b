"""What the protocol obliges a writer to do for each feature that can be written, and the test that holds us to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import UnsupportedWriteFeaturesError
from deltasql.log.protocol import FEATURES, Support, final_feature

TESTS = Path(__file__).parents[2]
Obligations = Mapping[str, str]
"""Tests, as file::function, by what they are about."""

OBLIGATIONS: Mapping[str, Obligations] = {
    "appendOnly": {
        "DELETE is refused": "unit/planner/test_delete.py::test_an_append_only_table",
        "UPDATE is refused": "unit/planner/test_update.py::test_append_only",
        "INSERT OVERWRITE is refused": "unit/planner/test_insert.py::test_append_only",
        "MERGE that changes rows is refused": "unit/planner/test_merge.py::test_targets_that_take_no_rows",
        "also where another engine set it": "interop/test_read_theirs.py::test_an_append_only_table_of_delta_spark",
    },
    "invariants": {
        "NOT NULL holds for new values": "unit/planner/test_update.py::test_only_assigned_columns_are_checked_for_null",
        "columns without a value": "unit/planner/test_insert.py::test_not_null_needs_a_value",
        "conditions of columns and fields": "session/test_column_invariants.py::test_no_writer_breaks_them",
        "hostile ones do not run": "session/test_column_invariants.py::test_conditions_that_must_not_run",
    },
    "checkConstraints": {
        "rows that are there": "session/test_schema_changes.py::test_not_null_and_check_look_at_the_rows",
        "a condition that is NULL is broken": "session/test_checked_rows.py::test_of_a_view_and_in_a_merge",
        "those of others hold": "interop/test_read_theirs.py::test_a_check_constraint_of_delta_spark_holds",
        "hostile ones do not run": "session/test_foreign_tables.py::test_a_constraint_that_may_not_run",
        "a race with a writer": "unit/concurrency/test_conflict_matrix_table.py::test_a_constraint_after_an_append",
    },
    "changeDataFeed": {
        "every change is told": "interop/test_change_feed.py::test_both_tell_the_same_changes",
        "those of transactions": "interop/test_change_feed.py::test_so_they_do_of_transactions",
        "files of others are kept": "unit/log/test_net_actions.py::test_change_files_are_kept",
    },
    "generatedColumns": {
        "values are computed": "unit/planner/test_generated_columns.py::test_an_insert_computes_from_what_it_writes",
        "given values are checked": "unit/planner/test_generated_columns.py::test_an_insert_checks_what_is_given",
        "UPDATE": "unit/planner/test_generated_columns.py::test_update_computes_what_depends_on_its_columns",
        "MERGE": "unit/planner/test_generated_columns.py::test_merge_computes_and_counts",
    },
    "columnMapping": {
        "names and ids of files": "session/test_schema_changes.py::test_new_files_carry_physical_names_and_field_ids",
        "ids are not used again": "unit/schema/test_column_mapping.py::test_a_dropped_columns_id_is_not_used_again",
        "old names of files stay": "unit/schema/test_column_mapping.py::test_a_table_with_files_keeps_its_names",
    },
    "identityColumns": {
        "no number twice": "session/test_numbers.py::test_no_number_comes_twice",
        "the mark goes on": "unit/schema/test_identity.py::test_a_mark_covers_what_is_used",
        "two writers": "session/test_numbers.py::test_the_second_of_two_writers_fails_and_can_go_again",
    },
    "timestampNtz": {
        "the feature comes with a column": "unit/log/test_features.py::test_columns_switch_features_on_at_every_depth"
    },
    "deletionVectors": {
        "the format": "unit/log/test_vector_writer.py::test_the_example_of_the_protocol",
        "statistics": "unit/log/test_vector_writer.py::test_statistics_stay_and_are_loose",
        "none is forgotten": "unit/log/test_vector_writer.py::test_a_vector_that_is_lost_cannot_be_added_to",
        "new files say whether bounds are tight": "unit/log/test_vector_writer.py::test_marked_files",
    },
    "v2Checkpoint": {
        "by the policy": "unit/log/test_checkpoint_v2.py::test_every_tenth_version_has_one",
        "not by the feature alone": "unit/log/test_checkpoint_v2.py::test_the_feature_alone_changes_nothing",
        "sidecars are cleaned up": "unit/log/test_cleanup.py::test_sidecars_without_a_checkpoint_go",
    },
    "typeWidening": {
        "changes are noted": "unit/schema/test_widening.py::test_changes_get_the_version_once",
        "others are refused": "unit/schema/test_widening.py::test_unsupported_changes_are_found_at_any_depth",
        "statistics of old files": "session/test_widened_tables.py::test_statistics_of_old_files_still_prune",
    },
    "geospatial": {
        "files have the logical types": "session/test_shape_columns.py::test_files_and_statistics",
        "bounds are boxes, or none": "session/test_shape_columns.py::test_files_and_statistics",
        "values are of the column's system": "session/test_shape_columns.py::test_a_value_of_another_system",
        "types of others": "unit/log/test_shape_types.py::test_types_of_others_are_kept_and_refused",
    },
    "variantType": {
        "rows": "session/test_variants.py::test_rows_and_their_text",
        "statistics": "session/test_variants.py::test_statistics_count_nulls_only",
    },
    "variantShredding": {
        "only where the table says so": "session/test_variants.py::test_files_are_shredded_only_where_the_table_says_so"
    },
    "vacuumProtocolCheck": {
        "VACUUM is a write": "unit/log/test_writer_obligations.py::test_statements_ask_for_the_writers_protocol"
    },
    "domainMetadata": {
        "domains of others stay": "unit/log/test_log_checkpoint.py::test_all_state_survives",
        "they go with the feature": "session/test_drop_feature.py::test_domains_are_removed_with_their_feature",
        "two writers": "unit/concurrency/test_conflict_matrix_table.py::test_domains",
    },
    "rowTracking": {
        "new files": "unit/log/test_row_ids.py::test_new_files_count_on_from_the_highest_id",
        "files that are stated anew": "unit/log/test_row_ids.py::test_a_file_that_is_stated_anew_keeps_its_ids",
        "rows that move": "interop/test_row_ids.py::test_ids_that_we_give",
        "files without a count": "unit/log/test_row_ids.py::test_a_file_without_a_count_is_refused",
        "a lost race": "unit/log/test_row_ids.py::test_a_lost_race_gives_other_ids",
    },
    "clustering": {
        "the domain": "unit/planner/test_clustering.py::test_create_writes_the_domain_and_the_features",
        "statistics": "unit/planner/test_clustering.py::test_a_clustering_column_stays_and_keeps_its_statistics",
        "physical names": "unit/planner/test_clustering.py::test_physical_names_survive_a_rename",
        "no partitions": "unit/planner/test_clustering.py::test_a_partitioned_table",
    },
    "allowColumnDefaults": {
        "columns that are not named": "unit/planner/test_defaults.py::test_default_stands_for_the_columns_default",
        "MERGE": "unit/planner/test_defaults.py::test_merge_fills_and_names_defaults",
    },
    "collations": {
        "the metadata of fields": (
            "unit/schema/test_collations.py::test_the_json_has_them_in_the_metadata_of_the_nearest_field"
        ),
        "no bounds of bytes": "unit/skipping/test_pruning.py::test_columns_that_compare_by_other_rules",
        "partitions": "unit/schema/test_collations.py::test_no_partition_by_them",
    },
    "icebergCompatV1": {
        "files": "unit/log/test_iceberg_compat.py::test_new_files",
        "vectors": "unit/log/test_iceberg_compat.py::test_deletion_vectors",
        "types": "unit/log/test_iceberg_compat.py::test_types",
    },
    "icebergCompatV2": {
        "partitions": "unit/log/test_iceberg_compat.py::test_other_partitions",
        "types that widened": "unit/log/test_iceberg_compat.py::test_types_that_widened",
        "one version": "unit/log/test_iceberg_compat.py::test_one_version_with_column_mapping",
    },
    "icebergCompatV3": {
        "it is refused where it is in use": "unit/log/test_protocol.py::test_what_cannot_be_read_is_named",
    },
    "inCommitTimestamp": {
        "each commit": "unit/log/test_transaction.py::test_in_commit_timestamps",
        "clocks that go back": "unit/log/test_commit_timestamps.py::test_a_clock_that_goes_back_a_day",
        "a lost race": "unit/log/test_commit_timestamps.py::test_both_are_told_anew_after_a_lost_race",
    },
    "catalogManaged": {
        "commits are ratified by the catalog": "unit/log/test_catalog_committer.py::test_one_writer_wins_each_version",
        "and never written past it": "unit/log/test_catalog_managed.py::test_nothing_is_written",
        "in-commit timestamps stay on": "unit/log/test_catalog_committer.py::test_timestamps_stay_on",
        "checkpoints of published versions only": "unit/log/test_catalog_committer.py::test_no_early_checkpoint",
    },
    "checkpointProtection": {
        "history is kept": "unit/log/test_cleanup.py::test_protection_follows_a_commit_too",
        "or goes as a whole": "unit/log/test_cleanup.py::test_protected_versions_may_go_all_at_once",
    },
    "materializePartitionColumns": {
        "every statement": "session/test_stored_partitions.py::test_every_statement_writes_them",
        "rows that move": "session/test_stored_partitions.py::test_rows_that_move_keep_them",
    },
}


def test_every_feature_that_is_written_has_obligations() -> None:
    """Those of a preview are those of the feature."""
    written = {final_feature(feature.name) for feature in FEATURES.values() if feature.write is not Support.NO}
    assert written == set(OBLIGATIONS)


@pytest.mark.parametrize("feature", OBLIGATIONS)
def test_each_obligation_has_a_test(feature: str) -> None:
    for obligation, place in OBLIGATIONS[feature].items():
        file, _, function = place.partition("::")
        assert f"def {function}(" in (TESTS / file).read_text(), f"{obligation}: {place}"


CHANGES = (
    "INSERT INTO {t} VALUES (1)",
    "INSERT OVERWRITE {t} VALUES (1)",
    "UPDATE {t} SET a = 1",
    "DELETE FROM {t}",
    "MERGE INTO {t} t USING (SELECT 1 AS a) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT *",
    "OPTIMIZE {t}",
    "VACUUM {t}",
    "VACUUM {t} DRY RUN",
    "RESTORE TABLE {t} TO VERSION AS OF 0",
    "ALTER TABLE {t} ADD COLUMN b INT",
    "ALTER TABLE {t} SET TBLPROPERTIES ('a' = 'b')",
    "REORG TABLE {t} APPLY (PURGE)",
    "CREATE OR REPLACE TABLE {t} (a INT)",
)


@pytest.mark.parametrize("statement", CHANGES)
def test_statements_ask_for_the_writers_protocol(tmp_path: Path, statement: str) -> None:
    """A feature that nobody knows yet may be about any of them."""
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    schema = {"type": "struct", "fields": [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}]}
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["notInventedYet"]}
    metadata = {
        "id": "x",
        "format": {"provider": "parquet", "options": {}},
        "partitionColumns": [],
        "configuration": {},
        "schemaString": json.dumps(schema),
    }
    actions = [{"protocol": protocol}, {"metaData": metadata}]
    (log / f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))
    told = statement.format(t=f"delta.`{tmp_path / 't'}`")
    connection = deltasql.connect(str(tmp_path / "warehouse"))
    with connection as session, pytest.raises(UnsupportedWriteFeaturesError):
        session.sql(told)
    assert [path.name for path in log.iterdir()] == [f"{0:020d}.json"]
