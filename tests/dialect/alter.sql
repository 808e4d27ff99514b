-- Changes of tables: columns, constraints, properties, tags.

-- works
CREATE TABLE boxes (colA STRING, colB STRUCT<field1: STRING, field2: STRING>, items ARRAY<STRUCT<a: INT>>, attrs MAP<STRING, STRUCT<v: INT>>);

-- works
ALTER TABLE boxes ADD COLUMNS (colC STRING COMMENT 'third' AFTER colA, colD INT FIRST);

-- works
ALTER TABLE boxes ADD COLUMN colE DECIMAL(10, 2);

-- works
ALTER TABLE boxes ADD COLUMNS (colB.nested STRING AFTER field1);

-- works
ALTER TABLE boxes ADD COLUMN items.element.b STRING;

-- works
ALTER TABLE boxes ADD COLUMN attrs.value.w STRING COMMENT 'another';

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE boxes ADD COLUMN IF NOT EXISTS colF INT;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE boxes ADD COLUMN colH INT NOT NULL;

-- refused WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED
ALTER TABLE boxes ADD COLUMN colI INT DEFAULT 5;

-- works
ALTER TABLE boxes ALTER COLUMN colA COMMENT 'the first one';

-- works
ALTER TABLE boxes ALTER COLUMN colA FIRST;

-- works
ALTER TABLE boxes ALTER COLUMN colB.field2 FIRST;

-- works
ALTER TABLE boxes CHANGE COLUMN colA colA STRING COMMENT 'as it was' AFTER colD;

-- works
ALTER TABLE boxes CHANGE COLUMN colB.field1 field1 STRING AFTER field2;

-- refused DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP
ALTER TABLE boxes REPLACE COLUMNS (colC STRING, colB STRUCT<field2: STRING, nested: STRING, field1: STRING>, colA STRING);

-- refused DELTA_UNSUPPORTED_RENAME_COLUMN
ALTER TABLE boxes RENAME COLUMN colA TO colZ;

-- works
ALTER TABLE boxes SET TBLPROPERTIES ('delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5', 'delta.columnMapping.mode' = 'name');

-- works
ALTER TABLE boxes RENAME COLUMN colA TO colZ;

-- works
ALTER TABLE boxes RENAME COLUMN colB.field1 TO field001;

-- works
ALTER TABLE boxes DROP COLUMN colZ;

-- works
ALTER TABLE boxes DROP COLUMNS (colC, colE);

-- works
ALTER TABLE boxes DROP COLUMNS IF EXISTS (colC, colX);

-- works
ALTER TABLE boxes DROP COLUMN colB.nested;

-- works
CREATE TABLE wide (id INT, small SHORT, at DATE, price DECIMAL(6, 2), note VARCHAR(10), flag STRING) TBLPROPERTIES ('delta.enableTypeWidening' = 'true');

-- works
ALTER TABLE wide ALTER COLUMN id TYPE BIGINT;

-- works
ALTER TABLE wide ALTER COLUMN small TYPE INT, price TYPE DECIMAL(10, 4);

-- refused DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT
ALTER TABLE wide ALTER COLUMN at TYPE TIMESTAMP_NTZ;

-- refused DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP
ALTER TABLE wide ALTER COLUMN flag TYPE INT;

-- works
ALTER TABLE wide ALTER COLUMN note TYPE VARCHAR(20);

-- works
ALTER TABLE wide ALTER COLUMN id SET NOT NULL;

-- works
ALTER TABLE wide ALTER COLUMN id DROP NOT NULL;

-- works
ALTER TABLE wide CHANGE COLUMN id SET NOT NULL;

-- works
ALTER TABLE wide SET TBLPROPERTIES (delta.feature.allowColumnDefaults = 'supported');

-- works
ALTER TABLE wide ALTER COLUMN flag SET DEFAULT 'no';

-- works
ALTER TABLE wide ALTER flag DROP DEFAULT;

-- works
ALTER TABLE wide ADD CONSTRAINT dated CHECK (at > '1900-01-01');

-- works
ALTER TABLE wide ADD CONSTRAINT validIds CHECK (id > 1 AND id < 99999999);

-- works
ALTER TABLE wide DROP CONSTRAINT validIds;

-- works
ALTER TABLE wide DROP CONSTRAINT IF EXISTS never_there;

-- refused DELTA_CONSTRAINT_DOES_NOT_EXIST
ALTER TABLE wide DROP CONSTRAINT never_there;

-- works
ALTER TABLE wide ADD CONSTRAINT wide_pk PRIMARY KEY (id);

-- refused MULTIPLE_PRIMARY_KEYS
ALTER TABLE wide ADD CONSTRAINT wide_pk2 PRIMARY KEY (small) NOT ENFORCED RELY;

-- works
ALTER TABLE wide DROP PRIMARY KEY IF EXISTS CASCADE;

-- works
ALTER TABLE wide ADD CONSTRAINT one_of_a_kind UNIQUE (id);

-- works
ALTER TABLE wide SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.enableChangeDataFeed' = true);

-- works
ALTER TABLE wide SET TBLPROPERTIES ('delta.enableRowTracking' = 'true');

-- works
ALTER TABLE wide SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');

-- works
ALTER TABLE wide SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');

-- works
ALTER TABLE wide SET TBLPROPERTIES ('delta.parquet.compression.codec' = 'zstd');

-- refused DELTA_UNKNOWN_CONFIGURATION
ALTER TABLE wide SET TBLPROPERTIES ('delta.unheardOf' = 'true');

-- works
ALTER TABLE wide UNSET TBLPROPERTIES ('delta.enableChangeDataFeed');

-- works
ALTER TABLE wide UNSET TBLPROPERTIES IF EXISTS ('team', 'owner');

-- refused DELTA_UNSET_NON_EXISTENT_PROPERTY
ALTER TABLE wide UNSET TBLPROPERTIES ('team');

-- works
ALTER TABLE wide DROP FEATURE deletionVectors;

-- refused DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD
ALTER TABLE wide DROP FEATURE v2Checkpoint TRUNCATE HISTORY;

-- refused DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE
ALTER TABLE wide DROP FEATURE checkConstraints;

-- refused DELTA_MISSING_DELTA_TABLE
ALTER TABLE wide SET LOCATION '/nowhere/at/all';

-- works
ALTER TABLE wide RENAME TO wider;

-- works
ALTER TABLE wider RENAME TO wide;

-- works
ALTER TABLE wide CLUSTER BY (id, small);

-- works
ALTER TABLE wide CLUSTER BY NONE;

-- works
ALTER TABLE wide CLUSTER BY AUTO;

-- works
CREATE TABLE counted (id BIGINT GENERATED BY DEFAULT AS IDENTITY, n INT);

-- works
ALTER TABLE counted ALTER COLUMN id SYNC IDENTITY;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted ALTER COLUMN n DROP EXPRESSION;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted ADD COLUMN doubled INT GENERATED ALWAYS AS (n * 2);

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted ADD PARTITION (n = 1) LOCATION '/x';

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted DROP PARTITION (n = 1);

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted DROP IF EXISTS PARTITION (n = 1), PARTITION (n = 2);

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted PARTITION (n = 1) RENAME TO PARTITION (n = 2);

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted PARTITION (n = 1) SET LOCATION '/x';

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted RECOVER PARTITIONS;

-- refused DELTA_OPERATION_NOT_ALLOWED
MSCK REPAIR TABLE counted;

-- works
MSCK REPAIR TABLE counted SYNC METADATA;

-- works
REPAIR TABLE counted SYNC METADATA;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted SET SERDE 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe';

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted SET FILEFORMAT PARQUET;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted REPLACE PARTITIONED BY WITH CLUSTER BY (n);

-- works
ALTER TABLE counted SET OWNER TO `sales@example.com`;

-- works
ALTER TABLE counted OWNER TO sales;

-- works
ALTER TABLE counted ENABLE PREDICTIVE OPTIMIZATION;

-- works
ALTER TABLE counted SET MANAGED TRUNCATE UNIFORM HISTORY;

-- refused DELTA_OPERATION_NOT_ALLOWED
ALTER TABLE counted UNSET MANAGED;

-- works
ALTER TABLE counted DEFAULT COLLATION UTF8_BINARY;

-- works
ALTER TABLE counted SET TAGS ('cost center' = '7', 'pii');

-- works
ALTER TABLE counted ALTER COLUMN n SET TAGS ('pii' = 'no');

-- works
ALTER TABLE counted ALTER COLUMN n UNSET TAGS ('pii');

-- works
ALTER TABLE counted UNSET TAGS ('pii');

-- works
SET TAG ON TABLE counted team = sales;

-- works
UNSET TAG ON TABLE counted team;

-- works
ALTER SCHEMA default SET TAGS ('layer' = 'gold');

-- works
ALTER SCHEMA default SET DBPROPERTIES ('edited-by' = 'joe');

-- works
COMMENT ON TABLE counted IS 'numbers';

-- works
COMMENT ON COLUMN counted.n IS 'a number';

-- works
COMMENT ON SCHEMA default IS NULL;

-- works
COMMENT ON CATALOG spark_catalog IS 'the one there is';

-- refused VOLUME_NOT_FOUND
COMMENT ON VOLUME files IS 'raw';

-- refused SECURABLE_NOT_FOUND
ALTER TABLE counted ALTER COLUMN n SET MASK hidden;

-- works
ALTER TABLE counted ALTER COLUMN n DROP MASK;

-- refused SECURABLE_NOT_FOUND
ALTER TABLE counted SET ROW FILTER only_mine ON (n);

-- works
ALTER TABLE counted DROP ROW FILTER;

-- refused TABLE_OR_VIEW_NOT_FOUND
ALTER TABLE missing_table ADD COLUMN a INT;

-- refused DELTA_COLUMN_NOT_FOUND_IN_SCHEMA
ALTER TABLE counted ALTER COLUMN missing_column COMMENT 'x';
