-- Catalogs of shares and connections are recorded: they are empty, and take tables as others do.
-- expect: no jvm
-- log: off
CREATE CATALOG shared USING SHARE provider.sales COMMENT 'from a partner';
create catalog if not exists `shared` using share `a-b`.`c d`;
CREATE FOREIGN CATALOG pg USING CONNECTION `my conn` COMMENT 'x' OPTIONS (database 'shop');
CREATE FOREIGN CATALOG IF NOT EXISTS pg USING CONNECTION other;
-- mask: /Created At \| .*/
DESCRIBE CATALOG EXTENDED pg;
-- mask: /Created At \| .*/
DESCRIBE CATALOG EXTENDED shared;
USE CATALOG shared;
SHOW SCHEMAS;
SELECT * FROM shared.default.orders;
USE CATALOG spark_catalog;
DROP CATALOG pg;
-- name: wrong
CREATE FOREIGN CATALOG pg;
CREATE FOREIGN CATALOG pg USING SHARE p.s;
CREATE CATALOG c USING SHARE;
CREATE FOREIGN CATALOG shared USING CONNECTION c;
