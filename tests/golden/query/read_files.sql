-- name: files of several formats
-- log: off
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/csv/one' USING csv OPTIONS (header = true) SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'Ada'), (2, 'Grace') AS v (id, name);
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/csv/two' USING csv OPTIONS (header = true) SELECT 'Mary' AS name, 3.5 AS id, true AS ok;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/json' USING json SELECT /*+ COALESCE(1) */ * FROM VALUES (1, named_struct('x', 1.5)), (2, NULL) AS v (id, s);
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/parquet/day=2024-01-31' USING parquet SELECT 1 AS id;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/parquet/day=2024-02-29' USING parquet SELECT 2 AS id, 'b' AS more;

-- name: the format and the columns are those of the files
SELECT * FROM read_files('${WAREHOUSE}/csv/one');
-- name: columns of all files, each of a type that takes the values of all; folders below
SELECT * FROM read_files('${WAREHOUSE}/csv', schemaEvolutionMode => 'none');
SELECT * FROM read_files('${WAREHOUSE}/json', format => 'json', schemaEvolutionMode => 'none');
-- name: folders that are partitions
SELECT * EXCEPT (_rescued_data) FROM read_files('${WAREHOUSE}/parquet');
SELECT * FROM read_files('${WAREHOUSE}/parquet', recursiveFileLookup => true, schemaEvolutionMode => 'none', schemaHints => 'id INT');
-- name: upper case, comments, aliases, joins, several calls
select r.ID, s.name from READ_FILES ( /* where */ '${WAREHOUSE}/json', FORMAT => 'JSON' ) AS r join read_files('${WAREHOUSE}/csv/one') s on r.id = s.id;
-- name: names of files
SELECT id, _metadata.file_name LIKE 'part-%.csv' AS named, _metadata.file_path LIKE '%/csv/one/%' AS placed, _metadata.file_size > 0 AS sized, _metadata.file_modification_time > TIMESTAMP '2024-01-01' AS timed FROM read_files('${WAREHOUSE}/csv/one');
-- name: files by their names, and by their times
SELECT count(*) FROM read_files('${WAREHOUSE}/csv/*', fileNamePattern => '*.json', schema => 'id INT', format => 'csv');
SELECT count(*) FROM read_files('${WAREHOUSE}/csv/{one,three}', pathGlobFilter => '*.csv');
SELECT count(*) FROM read_files('${WAREHOUSE}/csv/one', modifiedAfter => '2020-01-01', modifiedBefore => '2021-01-01', schema => 'id INT', format => 'csv');
-- name: texts alone
SELECT id, typeof(id) FROM read_files('${WAREHOUSE}/csv/one', inferColumnTypes => false, schemaEvolutionMode => 'none');
-- name: a hint, also of a new column and of a field
SELECT * FROM read_files('${WAREHOUSE}/csv/one', schemaHints => 'id BIGINT, `new one` DATE', schemaEvolutionMode => 'none');
SELECT id, s.x, typeof(s.x) AS x_type FROM read_files('${WAREHOUSE}/json', schemaHints => 's.x DECIMAL(5, 2)', schemaEvolutionMode => 'none');
-- name: declared columns go by their names
SELECT * FROM read_files('${WAREHOUSE}/csv', format => 'csv', header => true, schema => 'name STRING, id DOUBLE, ok BOOLEAN');
SELECT * FROM read_files('${WAREHOUSE}/json', schema => 'STRUCT<id: INT>');
-- name: data that no column takes
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/lines' USING text SELECT /*+ COALESCE(1) */ * FROM VALUES ('{"id": 1, "more": {"a": 2}}'), ('{"id": "x"}'), ('{"ID": 3}'), ('no json'), ('') AS v (value);
SELECT id, _rescued_data IS NULL AS whole, from_json(_rescued_data, 'MAP<STRING, STRING>')['more'] AS more, map_keys(from_json(_rescued_data, 'MAP<STRING, STRING>')) AS rescued FROM read_files('${WAREHOUSE}/lines', format => 'json', schema => 'id INT', rescuedDataColumn => '_rescued_data');
SELECT id, regexp_replace(r, ',"_file_path".*', '') AS r FROM read_files('${WAREHOUSE}/csv', format => 'csv', header => true, schema => 'id INT', rescuedDataColumn => 'r');
SELECT count(*) FROM read_files('${WAREHOUSE}/lines', format => 'json', schema => 'id INT', mode => 'DROPMALFORMED', rescuedDataColumn => 'r');
-- name: records of CSV with more values, and with fewer, than columns
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/ragged' USING text SELECT /*+ COALESCE(1) */ * FROM VALUES ('id,name'), ('1,a'), ('2'), ('3,c,"d,e"'), ('x,d,,f') AS v (value);
SELECT id, name, regexp_replace(_rescued_data, ',"_file_path".*', '') AS rescued FROM read_files('${WAREHOUSE}/ragged', format => 'csv');
SELECT id, name, regexp_replace(r, ',"_file_path".*', '') AS rescued FROM read_files('${WAREHOUSE}/ragged', format => 'csv', header => true, schema => 'id INT, name STRING', rescuedDataColumn => 'r');
SELECT * FROM read_files('${WAREHOUSE}/ragged', format => 'csv', schemaEvolutionMode => 'none');
-- name: into tables, views and merges
CREATE TABLE people AS SELECT id, name FROM read_files('${WAREHOUSE}/csv/one');
INSERT INTO people SELECT id::INT + 10, name FROM read_files('${WAREHOUSE}/csv/one');
MERGE INTO people AS t USING read_files('${WAREHOUSE}/csv/one') AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = upper(s.name);
SELECT * FROM people;
CREATE VIEW files AS SELECT id FROM read_files('${WAREHOUSE}/csv/one');
SELECT * FROM files;
-- name: the older spelling
SELECT * FROM cloud_files('${WAREHOUSE}/csv/one', 'csv', map('cloudFiles.inferColumnTypes', 'true', 'header', 'true', 'schemaEvolutionMode', 'none'));
-- name: what would be done
EXPLAIN SELECT id FROM read_files('${WAREHOUSE}/csv/one');
