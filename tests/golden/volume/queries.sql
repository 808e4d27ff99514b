-- name: files in a volume
-- log: off
CREATE VOLUME files;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/files.volume/in' USING csv OPTIONS (header = true) SELECT 1 AS id, 'Ada' AS name;
SELECT * FROM read_files('/Volumes/spark_catalog/default/files/in', schemaEvolutionMode => 'none');
SELECT _c1 FROM csv.`/Volumes/spark_catalog/default/files/in`;
SELECT count(*) FROM text.`dbfs:/Volumes/spark_catalog/default/files/in/*.csv` AS lines;
CREATE TABLE people (id INT, name STRING);
COPY INTO people FROM '/Volumes/spark_catalog/default/files/in' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true', 'inferSchema' = 'true');
SELECT * FROM people;
