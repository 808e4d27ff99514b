-- Groups of a session in views, row filters and column masks, and where a group is a column.
-- log: off

CREATE TABLE t (id INT, team STRING, phone STRING);
INSERT INTO t VALUES (1, 'a', '11'), (2, 'b', '22'), (3, NULL, '33');
-- name: a dynamic view
CREATE VIEW v AS SELECT id, CASE WHEN is_account_group_member('hr') THEN phone ELSE '*' END AS phone FROM t;
SELECT * FROM v;
SET deltasql.groups = hr;
SELECT * FROM v;
-- name: a group is a column
SET deltasql.groups = a,c;
SELECT id, is_member(team), is_account_group_member(upper(team)) AS other FROM t;
RESET deltasql.groups;
SELECT id, is_member(team) FROM t;
SELECT is_member('x'), is_member("it's");
SELECT is_member();

-- name: a row filter and a mask
CREATE FUNCTION same_team(team STRING) RETURNS BOOLEAN RETURN is_member('hr') OR is_member(team);
CREATE FUNCTION for_hr(phone STRING) RETURNS STRING RETURN if(is_account_group_member('hr'), phone, '*');
ALTER TABLE t SET ROW FILTER same_team ON (team);
ALTER TABLE t ALTER COLUMN phone SET MASK for_hr;
SET deltasql.governance.filters = true;
SELECT * FROM t;
SET deltasql.groups = b;
SELECT * FROM t;
SET deltasql.groups = hr;
SELECT * FROM t;
UPDATE t SET team = 'hr' WHERE is_member('hr') AND id = 1;
SELECT * FROM t;

-- name: a default
SET deltasql.user = ann;
CREATE TABLE d (id INT, by STRING DEFAULT current_user()) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO d (id) VALUES (1);
INSERT INTO d VALUES (2, DEFAULT);
UPDATE d SET by = DEFAULT WHERE id = 2;
MERGE INTO d USING (SELECT 3 AS id) s ON d.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
SELECT * FROM d;

-- name: a function of the same name
CREATE FUNCTION is_member(g STRING) RETURNS BOOLEAN RETURN g = 'mine';
SELECT is_member('mine'), is_account_group_member('mine');
