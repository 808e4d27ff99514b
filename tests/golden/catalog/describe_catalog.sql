DESCRIBE CATALOG spark_catalog;

CREATE CATALOG main COMMENT 'orders, and what belongs to them';

DESC CATALOG main;

describe catalog `MAIN`;

DESCRIBE CATALOG EXTENDED main;
