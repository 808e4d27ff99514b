-- name: defaults, generated and identity columns, CHAR, constraints, deletion vectors, change feed
CREATE TABLE u (
  id BIGINT GENERATED ALWAYS AS IDENTITY, c CHAR(3), d INT DEFAULT 7, g INT GENERATED ALWAYS AS (d + 1), s STRUCT<a: INT>
) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true', 'delta.feature.allowColumnDefaults' = 'supported');
ALTER TABLE u ADD CONSTRAINT small CHECK (d < 100);
INSERT INTO u (c, d, s) VALUES ('a', 1, named_struct('a', 1)), ('b', 2, NULL), ('c', 3, named_struct('a', 3));
INSERT INTO u (c, s) REPLACE USING (c) VALUES ('b', named_struct('a', 9)), ('z', NULL);
INSERT INTO u (c, s) REPLACE USING (s) VALUES ('S', named_struct('a', 3));
SELECT id IS NOT NULL AS numbered, c, d, g, s FROM u ORDER BY c;
SELECT c, d, _change_type FROM table_changes('u', 3) ORDER BY _commit_version, c, _change_type;
INSERT INTO u (c, d) REPLACE USING (c) VALUES ('a', 100);
-- name: partitions
CREATE TABLE p (id INT, day DATE, v STRING) PARTITIONED BY (day);
INSERT INTO p VALUES (1, DATE '2024-01-01', 'a'), (2, DATE '2024-01-01', 'b'), (3, DATE '2024-01-02', 'c'), (4, NULL, 'd');
INSERT INTO p BY NAME REPLACE USING (day) SELECT 5 AS id, DATE '2024-01-01' AS day, 'n' AS v UNION ALL SELECT 6, NULL, 'o';
SELECT * FROM p ORDER BY id;
