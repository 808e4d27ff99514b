-- Views that statements read rows from.
CREATE TABLE u (id INT, v STRING);
CREATE TEMPORARY VIEW few AS SELECT * FROM VALUES (3, 'c'), (1, 'a'), (2, NULL) AS n (id, v);
MERGE INTO u USING (SELECT * FROM few AS f WHERE f.id < 3 AND v IS NOT NULL) AS s ON u.id = s.id WHEN NOT MATCHED THEN INSERT *;
INSERT INTO u SELECT id + 10, v FROM few ORDER BY 1 LIMIT 1;
INSERT INTO u SELECT id, v FROM few WHERE id >= 2 ORDER BY v NULLS LAST LIMIT 1;
WITH twice AS (SELECT id, id, v FROM few) MERGE INTO u USING (SELECT * FROM twice WHERE id = 1) AS s ON u.id = s.id WHEN MATCHED THEN DELETE;
WITH twice AS (SELECT id, v, v AS w FROM few) INSERT INTO u SELECT id, w FROM twice WHERE V = 'a' ORDER BY ID;
SELECT * FROM u ORDER BY id, v;

-- A misspelt view is asked after like a table.
SELECT * FROM fw;
MERGE INTO u USING `feww` AS s ON u.id = s.id WHEN MATCHED THEN DELETE;
SELECT * FROM default.fw;
