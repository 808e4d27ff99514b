-- name: columns by position; the table computes others, and numbers rows
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/plain' USING csv SELECT /*+ COALESCE(1) */ * FROM VALUES (5, 'x', 1.5), (6, 'y', 2.5) AS v;
CREATE TABLE by_place (k BIGINT GENERATED ALWAYS AS IDENTITY, n INT, twice INT GENERATED ALWAYS AS (n * 2), s VARCHAR(2), d DECIMAL(5, 2), CONSTRAINT big CHECK (n > 4)) PARTITIONED BY (s);
COPY INTO by_place BY POSITION FROM '${WAREHOUSE}/plain' FILEFORMAT = CSV;
COPY INTO spark_catalog.`default`.by_place (d, n) FROM (SELECT _c2, _c0 FROM '${WAREHOUSE}/plain') FILEFORMAT = CSV COPY_OPTIONS ('force' = 'true');
SELECT * FROM by_place;
-- name: wrong, columns by position
COPY INTO by_place (d, n) FROM '${WAREHOUSE}/plain' FILEFORMAT = CSV COPY_OPTIONS ('force' = 'true');
-- name: wrong, rows that the table does not take; its rows stay as they were
COPY INTO by_place (n, s) FROM (SELECT 1, 'a' FROM '${WAREHOUSE}/plain') FILEFORMAT = CSV COPY_OPTIONS ('force' = 'true');
COPY INTO by_place (n, s) FROM (SELECT 7, 'abc' FROM '${WAREHOUSE}/plain') FILEFORMAT = CSV VALIDATE COPY_OPTIONS ('force' = 'true');
COPY INTO by_place (n, s) FROM (SELECT _c1, 'ab' FROM '${WAREHOUSE}/plain') FILEFORMAT = CSV VALIDATE 1 ROWS COPY_OPTIONS ('force' = 'true');
SELECT count(*) FROM by_place;
