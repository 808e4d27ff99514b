-- Upkeep, history, clones, settings.

-- works
CREATE TABLE events (id INT, event_type STRING, day DATE) USING DELTA PARTITIONED BY (day);

-- works
INSERT INTO events VALUES (1, 'view', DATE '2024-05-01'), (2, 'buy', DATE '2024-05-02');

-- works
INSERT INTO events (id, day) VALUES (3, DATE '2024-05-02');

-- refused DELTA_NON_PARTITION_COLUMN_REFERENCE
OPTIMIZE events WHERE id > 1;

-- refused DELTA_OPTIMIZE_FULL_NOT_SUPPORTED
OPTIMIZE events FULL;

-- refused DELTA_ZORDERING_ON_PARTITION_COLUMN
OPTIMIZE events ZORDER BY (day);

-- refused DELTA_MISSING_DELTA_TABLE
OPTIMIZE delta.`/nowhere/events`;

-- refused DELTA_MISSING_DELTA_TABLE
OPTIMIZE '/nowhere/events';

-- works
VACUUM events;

-- works
VACUUM events RETAIN 168 HOURS DRY RUN;

-- refused DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT
VACUUM events RETAIN 0 HOURS;

-- works
VACUUM events LITE;

-- works
VACUUM events FULL;

-- refused DELTA_MISSING_DELTA_TABLE
VACUUM '/nowhere/events';

-- refused DELTA_MISSING_DELTA_TABLE
VACUUM delta.`/nowhere/events` RETAIN 100 HOURS;

-- works
SET spark.databricks.delta.retentionDurationCheck.enabled = false;

-- works
REORG TABLE events APPLY (PURGE);

-- refused DELTA_ICEBERG_COMPAT_VIOLATION.COMPAT_VERSION_NOT_SUPPORTED
REORG TABLE events APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 3));

-- works
DESCRIBE HISTORY events;

-- works
DESCRIBE HISTORY events LIMIT 1;

-- refused DELTA_MISSING_DELTA_TABLE
DESC HISTORY delta.`/nowhere/events`;

-- works
DESCRIBE DETAIL events;

-- refused DELTA_MISSING_DELTA_TABLE
DESCRIBE DETAIL '/nowhere/events';

-- works
RESTORE TABLE events TO VERSION AS OF 1;

-- works
RESTORE events VERSION AS OF 0;

-- refused DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER
RESTORE TABLE events TO TIMESTAMP AS OF '1999-01-01';

-- refused DELTA_CANNOT_RESTORE_TABLE_VERSION
RESTORE TABLE events TO VERSION AS OF 100;

-- works
FSCK REPAIR TABLE events;

-- works
FSCK REPAIR TABLE events DRY RUN;

-- works
FSCK REPAIR TABLE events METADATA ONLY;

-- works
ANALYZE TABLE events COMPUTE STATISTICS;

-- works
ANALYZE TABLE events COMPUTE STATISTICS FOR ALL COLUMNS;

-- works
ANALYZE TABLE events COMPUTE STATISTICS FOR COLUMNS id, day;

-- works
ANALYZE TABLE events COMPUTE STATISTICS NOSCAN;

-- works
ANALYZE TABLE events COMPUTE DELTA STATISTICS;

-- refused DELTA_OPERATION_NOT_ALLOWED
ANALYZE TABLE events COMPUTE STORAGE METRICS;

-- works
ANALYZE TABLES IN default COMPUTE STATISTICS NOSCAN;

-- works
GENERATE symlink_format_manifest FOR TABLE events;

-- refused DELTA_MODE_NOT_SUPPORTED
GENERATE something_else FOR TABLE events;

-- refused DELTA_EMPTY_DIRECTORY
CONVERT TO DELTA parquet.`/nowhere/raw` PARTITIONED BY (day DATE);

-- works
CONVERT TO DELTA events;

-- refused DELTA_EMPTY_DIRECTORY
CONVERT TO DELTA parquet.`/nowhere/raw` NO STATISTICS;

-- works
CREATE TABLE events_dev SHALLOW CLONE events;

-- works
CREATE OR REPLACE TABLE events_backup DEEP CLONE events;

-- works
CREATE TABLE IF NOT EXISTS events_then CLONE events VERSION AS OF 1;

-- refused DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION
CREATE OR REPLACE TABLE events_then SHALLOW CLONE events TIMESTAMP AS OF '1999-01-01';

-- works
CREATE TABLE archive_events CLONE events TBLPROPERTIES (delta.logRetentionDuration = 'interval 3650 days', delta.deletedFileRetentionDuration = 'interval 3650 days');

-- refused DELTA_EMPTY_DIRECTORY
CREATE TABLE raw_clone CLONE parquet.`/nowhere/raw`;

-- refused TABLE_OR_VIEW_NOT_FOUND
CREATE TABLE unknown_clone SHALLOW CLONE missing_source;

-- works
CREATE BLOOMFILTER INDEX ON TABLE events FOR COLUMNS (id OPTIONS (fpp = 0.1, numItems = 50000000));

-- works
DROP BLOOMFILTER INDEX ON TABLE events FOR COLUMNS (id);

-- works
CACHE SELECT * FROM events;

-- works
CACHE TABLE events;

-- works
CACHE LAZY TABLE events;

-- works
UNCACHE TABLE IF EXISTS events;

-- works
REFRESH TABLE events;

-- works
REFRESH events;

-- refused DELTA_OPERATION_NOT_ALLOWED
SYNC TABLE main.default.events FROM hive_metastore.default.events DRY RUN;

-- works
SET spark.databricks.delta.optimize.maxFileSize = 268435456;

-- works
SET delta.enableDeletionVectors = true;

-- works
SET spark.databricks.delta.properties.defaults.enableChangeDataFeed = true;

-- works
SET spark.databricks.delta.schema.autoMerge.enabled = true;

-- works
SET spark.sql.sources.partitionOverwriteMode = dynamic;

-- works
SET spark.sql.shuffle.partitions = 8;

-- works
SET spark.databricks.delta.optimizeWrite.enabled = true;

-- works
SET use_cached_result = false;

-- works
SET ANSI_MODE = true;

-- works
SET STATEMENT_TIMEOUT = 3600;

-- works
SET -v;

-- works
SET;

-- works
RESET spark.sql.shuffle.partitions;

-- works
RESET;
