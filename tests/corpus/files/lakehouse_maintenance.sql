/* Upkeep that a job runs at night. */
USE CATALOG main;
OPTIMIZE shop.orders WHERE day >= current_date() - INTERVAL 7 DAYS ZORDER BY (customer_id);
OPTIMIZE shop.items FULL;
VACUUM shop.orders RETAIN 168 HOURS;
ANALYZE TABLE shop.orders COMPUTE STATISTICS FOR ALL COLUMNS;
ALTER TABLE shop.orders SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 14 days', delta.targetFileSize = '128mb');
ALTER SCHEMA shop ENABLE PREDICTIVE OPTIMIZATION;
REORG TABLE shop.orders APPLY (PURGE);
CREATE OR REPLACE TABLE archive.orders DEEP CLONE shop.orders;
COMMENT ON TABLE archive.orders IS 'a copy of ' 'each night';
ALTER TABLE archive.orders SET TAGS ('kind' = 'backup');
MSCK REPAIR TABLE shop.landing SYNC METADATA;
SELECT operation, count(*) FROM (DESCRIBE HISTORY shop.orders) GROUP BY operation;
