-- log: off

CREATE TABLE t (id INT, `größe` STRING, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
INSERT INTO t VALUES (1, 'a', 0), (2, 'b', 1);
UPDATE t SET `größe` = upper(`größe`) WHERE id = 1;
DELETE FROM t WHERE id = 2;
SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 1) ORDER BY _commit_version, _change_type, id;
-- Any case, comments, an alias, a qualified name, one version only
SELECT c.`größe`, c._change_type FROM TABLE_CHANGES(/* the table */ 'default.t', 2, 2) AS c ORDER BY 2;
SELECT count(*) FROM table_changes('`t`', 0, 99) JOIN t ON true;
SELECT _change_type FROM table_changes('t', 3) WHERE id IN (SELECT id FROM table_changes('t', 1, 1));
-- As a source
CREATE TABLE log AS SELECT id, _change_type AS kind, _commit_version AS version FROM table_changes('t', 1);
MERGE INTO log USING (SELECT id FROM table_changes('t', 3)) s ON log.id = s.id WHEN MATCHED THEN DELETE;
SELECT * FROM log ORDER BY id, kind;
SELECT * FROM table_changes('t', 3, 1);
SELECT * FROM table_changes('t', 9);
SELECT * FROM table_changes('log', 0);
SELECT * FROM table_changes('t', '1999-01-01', '1999-12-31');
CREATE TABLE u (_commit_version INT);
ALTER TABLE u SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
EXPLAIN UPDATE t SET p = 2;
EXPLAIN SELECT * FROM table_changes('t', 1)
