-- expect: no jvm
CREATE CATALOG main COMMENT 'of the house' WITH DBPROPERTIES ('team' = 'sales', tier = 1, `a.b` = true) OPTIONS (host = 'h')
  MANAGED LOCATION '/tmp/deltasql-golden/main';

DESCRIBE CATALOG EXTENDED main;

ALTER CATALOG main SET DBPROPERTIES ('team' = 'research', password = 'secret');

ALTER CATALOG MAIN SET PROPERTIES (tier = 2);

alter catalog main options (host = 'i', port = 5);

ALTER CATALOG main SET OPTIONS (port = 6);

DESCRIBE CATALOG EXTENDED main;

ALTER CATALOG main UNSET DBPROPERTIES ('team', missing);

ALTER CATALOG main UNSET PROPERTIES IF EXISTS (tier);

ALTER CATALOG main UNSET OPTIONS (host);

DESCRIBE CATALOG EXTENDED main;

ALTER CATALOG spark_catalog SET DBPROPERTIES (a = 'b');

DESCRIBE CATALOG EXTENDED spark_catalog;

-- Tags
ALTER CATALOG main SET TAGS ('team' = 'sales', 'pii');

SET TAG ON CATALOG main cost = 'it''s';

DESCRIBE CATALOG EXTENDED main;

SELECT * FROM system.information_schema.catalog_tags;

ALTER CATALOG main UNSET TAGS ('pii', 'missing');

UNSET TAG ON CATALOG main cost;

SELECT tag_name, tag_value FROM main.information_schema.catalog_tags;

ALTER CATALOG main UNSET TAGS ('team');

DESCRIBE CATALOG EXTENDED main;

SET TAG ON CATALOG main a = 'b';

BEGIN TRANSACTION;

ALTER CATALOG main SET DBPROPERTIES (a = 'b');

ROLLBACK;
