-- expect: no jvm

-- name: columns of shapes, and their table feature
CREATE TABLE places (id INT, g GEOMETRY(4326), e GEOGRAPHY(4326), s STRUCT<g: GEOMETRY(0)>, a ARRAY<geometry(3857)>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
CREATE TABLE plain (id INT);
ALTER TABLE plain ADD COLUMN g GEOMETRY(3857);
DESCRIBE plain;
SHOW CREATE TABLE plain;
ALTER TABLE places RENAME COLUMN g TO shape;
ALTER TABLE places DROP COLUMN s;
ALTER TABLE places ALTER COLUMN e COMMENT 'on the globe';
-- name: types that no column has
CREATE TABLE wrong (g GEOMETRY);
CREATE TABLE wrong (g GEOMETRY(ANY));
CREATE TABLE wrong (g GEOGRAPHY(any));
CREATE TABLE wrong (g GEOMETRY(999999));
CREATE TABLE wrong (g GEOGRAPHY(3857));
CREATE TABLE wrong (g GEOMETRY(4326, 1));
CREATE TABLE wrong (m MAP<GEOMETRY(4326), INT>);
-- name: changes of the type
ALTER TABLE plain ALTER COLUMN g TYPE GEOMETRY(4326);
ALTER TABLE plain ALTER COLUMN g TYPE BINARY;
ALTER TABLE plain ALTER COLUMN id TYPE GEOMETRY(4326);
-- name: columns by which rows are arranged
CREATE TABLE wrong (id INT, g GEOMETRY(4326)) PARTITIONED BY (g);
CREATE TABLE wrong (id INT, g GEOMETRY(4326)) CLUSTER BY (g);
ALTER TABLE plain CLUSTER BY (g);
OPTIMIZE plain ZORDER BY (g);
-- name: values that are computed
CREATE TABLE wrong (id INT, g GEOMETRY(4326) GENERATED ALWAYS AS IDENTITY);
CREATE TABLE wrong (w BINARY, g GEOMETRY(4326) GENERATED ALWAYS AS (st_geomfromwkb(w, 4326)));
CREATE TABLE wrong (g GEOMETRY(4326), h GEOMETRY(4326) GENERATED ALWAYS AS (g));
CREATE TABLE wrong (g GEOMETRY(4326) DEFAULT st_geomfromtext('POINT(1 2)', 4326)) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
CREATE TABLE defaults (g GEOMETRY(4326) DEFAULT NULL) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
-- name: Iceberg has no such columns
CREATE TABLE wrong (g GEOMETRY(4326)) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableIcebergCompatV2' = 'true');
-- name: the feature leaves with the last column
ALTER TABLE places DROP FEATURE geospatial;
ALTER TABLE places DROP COLUMNS (shape, e, a);
ALTER TABLE places DROP FEATURE geospatial TRUNCATE HISTORY;
CREATE TABLE early (id INT) TBLPROPERTIES ('delta.feature.geospatial' = 'supported');
