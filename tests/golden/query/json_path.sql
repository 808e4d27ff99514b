-- log: off

CREATE TABLE j (k INT, raw STRING, v VARIANT, n STRING);
INSERT INTO j SELECT 1, '{"owner":"amy","ZIP Code":"94025","fb:id":"12","a":{"B":[{"c":1},{"C":"t"}]},"nothing":null,"store":{"fruit":[{"weight":8},{"weight":9}],"basket":[[1,2,{"b":"y"}],[3,4]],"bicycle":{"price":19.95,"color":"red"}}}', parse_json('{"a":{"b":5,"B":6}}'), NULL;
INSERT INTO j SELECT 2, '{"Owner":"bob","owner":"amb"}', NULL, '';
INSERT INTO j SELECT 3, 'no JSON', NULL, NULL;
-- name: names in any case, in brackets in their case, quoted names, indexes, every element
SELECT raw:owner, raw:OWNER, raw:['owner'], raw:['OWNER'] AS none, raw:`zip code`, raw:["ZIP Code"] AS zip, raw:`fb:id` FROM j WHERE k = 1;
SELECT raw:a.b[0].c::INT, RAW:A.b[1].c AS t, j.raw:nothing, raw:missing.more, raw:a:b FROM j WHERE k = 1;
SELECT raw:store.fruit[0], raw:store.fruit[*].weight, raw:store.basket[*] AS all, raw:store.basket[*][0] AS firsts, raw:store['basket'][0][2].b FROM j WHERE k = 1;
-- name: casts, calls, comments, texts, constants, fields of structs
SELECT raw:store.bicycle.price::DOUBLE * 2 AS twice, try_cast(raw:owner AS INT), raw:owner?::INT AS no_number, upper(raw:owner) FROM j WHERE k = 1;
SELECT /* raw:x */ raw : owner, 'raw:y' AS t, '{"a":[7]}':a[0] AS c, named_struct('r', raw).r:owner AS s, CAST(named_struct('x', 1) AS STRUCT<x: INT>) AS st FROM j WHERE k = 1;
-- name: what is no JSON, or has no such field, gives NULL
SELECT k, raw:store.bicycle.color FROM j ORDER BY k;
-- name: beside paths of VARIANTs, whose names have a case
SELECT v:a.b::INT AS lower, v:a.B::INT AS upper, v:a["B"]::INT AS quoted, raw:a.b[0].c FROM j WHERE k = 1;
SELECT q.x:b::INT AS variant, q.y:color AS text FROM (SELECT v:a AS x, raw:store.bicycle AS y FROM j WHERE k = 1) q;
-- name: clauses
SELECT raw:owner, count(*) AS n FROM j WHERE raw:store.bicycle.price::DOUBLE > 10 GROUP BY raw:owner HAVING max(raw:owner) > 'a' ORDER BY owner;
SELECT raw:owner FROM j WHERE k <> 2 GROUP BY raw:owner ORDER BY raw:owner;
SELECT e:weight::INT AS w FROM j LATERAL VIEW explode(from_json(raw:store.fruit, 'array<string>')) x AS e ORDER BY w;
WITH c AS (SELECT raw:store AS s FROM j WHERE k = 1) SELECT (SELECT max(s:bicycle.color) FROM c) AS color, transform(array(s), x -> x:bicycle.price) AS prices FROM c;
-- name: changes, views, functions, constraints, generated columns, scripts
UPDATE j SET n = raw:store.bicycle.color WHERE raw:store.fruit[1].weight::INT = 9;
MERGE INTO j t USING j s ON t.k = s.k AND s.raw:['owner'] = 'amb' WHEN MATCHED THEN UPDATE SET n = s.raw:['Owner'] WHEN NOT MATCHED BY SOURCE AND t.raw:store IS NULL THEN DELETE;
SELECT k, n FROM j ORDER BY k;
CREATE VIEW w AS SELECT k, raw:store.bicycle.price::DOUBLE FROM j;
SELECT * FROM w ORDER BY k;
CREATE FUNCTION color(x STRING) RETURNS STRING RETURN x:store.bicycle.color;
SELECT color(raw) AS c FROM j WHERE k = 1;
CREATE TABLE c AS SELECT raw:store.bicycle.price, v:a AS va FROM j WHERE k = 1;
DESCRIBE c;
CREATE TABLE g (raw STRING, o STRING GENERATED ALWAYS AS (raw:owner), CONSTRAINT c CHECK (raw:id::INT > 0));
INSERT INTO g (raw) VALUES ('{"OWNER":"z","id":1}');
INSERT INTO g (raw) VALUES ('{"owner":"z","id":0}');
SELECT o FROM g;
DELETE FROM g WHERE raw:owner = 'z';
BEGIN DECLARE d STRING DEFAULT '{"a":1}'; SELECT d:A; END;
EXECUTE IMMEDIATE "SELECT :d:a AS a, :k AS k" USING '{"a":1}' AS d, 1 AS k;
-- name: wrong
SELECT raw:owner FROM j WHERE k = 2;
SELECT raw:owner[*].name FROM (SELECT '{"owner":[{"Name":1},{"name":2}]}' AS raw);
SELECT k:a FROM j;
SELECT nope:a FROM j;
SELECT raw:owner, nope FROM j;
SELECT raw:`it's.x` FROM j;
SELECT :p:a;
