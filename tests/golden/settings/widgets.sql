-- expect: no jvm
-- log: off

-- name: a value in place of :name, as a name by IDENTIFIER
CREATE WIDGET TEXT tab DEFAULT 'orders';
CREATE TABLE IDENTIFIER(:tab) (state STRING, n INT);
INSERT INTO IDENTIFIER(:tab) VALUES ('CA', 1), ('NY', 2);
-- name: a text in place of ${name} and $name, also in quotes
create widget dropdown `the state` DEFAULT 'CA' CHOICES SELECT DISTINCT state FROM orders;
CREATE WIDGET COMBOBOX /* of text */ state DEFAULT "CA" CHOICES (SELECT 'CA');
SELECT n FROM ${tab} WHERE state = '${state}';
SELECT n FROM `${tab}` WHERE state = getArgument('state');
SELECT n FROM $tab WHERE state = :state;
-- name: a value that has quotes stays within its string
CREATE WIDGET TEXT odd DEFAULT 'x\' OR \'1\' = \'1';
SELECT n FROM orders WHERE state = '${odd}';
SELECT n FROM orders WHERE state = "${odd}";
-- name: elsewhere it may not end a statement, nor begin a comment or a string
CREATE WIDGET TEXT two DEFAULT '1; DROP TABLE orders';
SELECT n FROM orders WHERE n = ${two};
CREATE WIDGET TEXT listed DEFAULT "'CA', 'NY'";
SELECT n FROM orders WHERE state IN (${listed}) ORDER BY n;
CREATE WIDGET TEXT open DEFAULT "'CA";
SELECT n FROM orders WHERE state = ${open};
CREATE WIDGET TEXT hidden DEFAULT '1 -- ';
SELECT n FROM orders WHERE n = ${hidden};
-- name: parameters of the editor of Databricks SQL
CREATE WIDGET TEXT region DEFAULT 'NY';
SELECT n FROM {{ tab }} WHERE state = '{{region}}' -- {{nothing}}
;
SELECT n FROM orders WHERE state = '{{ odd }}' OR state = '{{nothing}}';
SELECT n FROM orders WHERE n = {{two}};
SELECT n FROM {{nothing}};
-- name: a widget that exists keeps its value
CREATE WIDGET MULTISELECT state DEFAULT 'NY' CHOICES SELECT 'NY';
SELECT n FROM orders WHERE state = :state;
-- name: settings are variables as well; comments and texts without a value stay as they are
SELECT n /* ${nothing} */ FROM orders WHERE state = '$state.' -- ${nothing}
;
-- name: without a value
SELECT * FROM ${nothing};
SELECT * FROM orders WHERE state = getArgument('nothing');
SELECT state FROM orders WHERE state = getArgument('nothing', 'NY');
-- name: removed
REMOVE WIDGET state;
SELECT n FROM orders WHERE state = ${state};
REMOVE WIDGET state;
remove widget stat;
-- name: slips
CREATE WIDGET TEXT state DEFAULT 1;
CREATE WIDGET TEXT state;
CREATE WIDGET TEXTS state DEFAULT 'x';
CREATE WIDGET TEXT state DEFAULT x;
REMOVE WIDGET;
-- name: a setting
SET my.table = orders;
DESCRIBE TABLE ${my.table};
