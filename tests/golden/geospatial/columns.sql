-- log: off

-- name: rows with shapes
CREATE TABLE places (id INT, g GEOMETRY(4326), e GEOGRAPHY(4326), s STRUCT<g: GEOMETRY(0)>);
INSERT INTO places VALUES (1, st_geomfromtext('POINT(1 2)', 4326), st_geogfromtext('POINT(1 2)'), named_struct('g', st_geomfromtext('POLYGON Z ((0 0 1,1 0 1,1.5 1 1,0 0 1))'))), (2, NULL, NULL, NULL);
SELECT id, st_astext(g), st_x(g) FROM places WHERE st_intersects(g, st_geomfromtext('POLYGON((0 0,2 0,2 3,0 3,0 0))', 4326));
SELECT * FROM places ORDER BY id;
SELECT count(*), count(g), count_if(g IS NULL) FROM places;
-- name: results of functions, whose system is known with each value
INSERT INTO places (id, g) SELECT 3, st_centroid(st_point(3, 4, 4326));
INSERT INTO places (id, g) SELECT 4, st_centroid(st_point(3, 4, 3857));
-- name: values of other types
INSERT INTO places (id, g) SELECT 4, st_point(3, 4, 3857);
INSERT INTO places (id, g) VALUES (4, 'POINT(1 2)');
INSERT INTO places (id, g) VALUES (4, X'0101');
INSERT INTO places (id, g) VALUES (4, 1);
INSERT INTO places (id, e) SELECT 4, st_point(3, 4, 4326);
CREATE TABLE wrong AS SELECT st_centroid(g) AS c FROM places;
-- name: what cannot be compared
SELECT id FROM places ORDER BY g;
SELECT id FROM places WHERE g = st_point(1, 2, 4326);
SELECT count(*) FROM places GROUP BY g;
-- name: a constraint, whose error shows the bytes
ALTER TABLE places ADD CONSTRAINT west CHECK (g IS NULL OR st_x(g) < 10);
INSERT INTO places (id, g) SELECT 5, st_point(11, 4, 4326);
