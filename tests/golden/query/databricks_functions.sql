-- log: off

CREATE TABLE t (
  a INT, g STRING GENERATED ALWAYS AS (iff(a > 1, 'more', 'one')), p INT DEFAULT charindex('b', 'ab'), CONSTRAINT c CHECK (CharIndex('x', g) = 0)
) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
INSERT INTO t (a) VALUES (1), (2);
-- name: functions that Spark has under another name
SELECT *, iff(a = 1, iff(g = 'one', 'x', 'y'), /* , */ 'z'), charindex('n', g) AS n, system.builtin.charindex('o', g, 2) FROM t ORDER BY a;
SELECT getdate() >= current_timestamp() AS now FROM t WHERE getdate() > TIMESTAMP'2020-01-01';
SELECT current_metastore() LIKE 'deltasql:%-%' AS metastore, current_version().dbr_version LIKE 'deltasql %' AS version;
SELECT schema_of_json_agg(text) AS schema FROM VALUES ('{"a": 1}'), ('{"a": 2, "b": [1.5]}') AS q(text);
-- name: in changes, views and functions
UPDATE t SET a = iff(a = 1, 10, a) WHERE charindex('one', g) = 1;
CREATE VIEW v AS SELECT iff(a > 5, 'big', 'small') AS size, count(*) AS n FROM t GROUP BY iff(a > 5, 'big', 'small');
SELECT * FROM v ORDER BY size;
CREATE FUNCTION place(x STRING) RETURNS INT RETURN charindex('r', x);
MERGE INTO t USING (SELECT 2 AS k) s ON t.a = s.k WHEN MATCHED THEN UPDATE SET p = iff(k = 2, place('bar'), 0);
SELECT a, p FROM t ORDER BY a;
ALTER TABLE t ADD CONSTRAINT d CHECK (iff(a > 0, true, false));
-- name: secrets that the environment lacks
SELECT try_secret('my scope', 'a.key') AS none;
SELECT secret('my scope', 'a.key');
SELECT secret('my scope');
SELECT secret('my scope', concat('a', 'b'));
SELECT count(*) >= 0 AS counted FROM list_secrets('my scope') AS s WHERE s.scope = s.key;
-- name: functions that are refused, in queries and changes
SELECT AI_QUERY('model', g) FROM t;
SELECT * FROM t WHERE system.builtin.ai_similarity(g, 'x') > 0.5;
SELECT * FROM read_kafka(bootstrapServers => 'host:9092', subscribe => 'topic');
SELECT * FROM vector_search(index => 'i', query_text => 'x', num_results => 2);
INSERT INTO t (a) SELECT size(ai_forecast(1));
UPDATE t SET g = zstd_compress('x');
CREATE VIEW w AS SELECT http_request(conn => 'c', method => 'GET', path => '/') AS r;
-- name: functions of one's own come first, and so do names in quotes and columns
CREATE FUNCTION st_point(x INT, y INT) RETURNS STRING RETURN concat(x, ',', y);
SELECT st_point(1, 2) AS mine, 'ai_query(x)' AS text;
CREATE SCHEMA s;
CREATE FUNCTION s.iff(a INT) RETURNS INT RETURN a + 1;
SELECT s.iff(1) AS two, iff(true, 1, 2) AS one;
