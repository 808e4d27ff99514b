CREATE CATALOG main;

COMMENT ON CATALOG main IS 'it''s for sales';

DESCRIBE CATALOG main;

COMMENT ON CATALOG MAIN IS NULL;

DESCRIBE CATALOG main;

COMMENT ON CATALOG spark_catalog IS 'of the warehouse';

DESCRIBE CATALOG spark_catalog;
