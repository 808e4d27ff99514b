-- log: off

-- name: points and polygons, in WKT, GeoJSON and WKB
SELECT h3_pointash3('POINT(-122.4783 37.8199)', 13) AS wkt, h3_pointash3string('{"type":"Point","coordinates":[-122.4783,37.8199]}', 13) AS geojson, h3_pointash3(unhex('0101000000E3A59BC4209E5EC0CBA145B6F3E94240'), 13) AS wkb, h3_pointash3('POINT Z (100 45 7)', 6) AS deep;
SELECT h3_polyfillash3('POLYGON((-122.4194 37.7749,-118.2437 34.0522,-74.0060 40.7128,-122.4194 37.7749))', 2) AS wkt, h3_try_polyfillash3(unhex('0103000000010000000400000050fc1873d79a5ec0d0d556ec2fe342404182e2c7988f5dc0f46c567dae064140aaf1d24d628052c05e4bc8073d5b444050fc1873d79a5ec0d0d556ec2fe34240'), 2) AS wkb, h3_polyfillash3string('{"type":"MultiPolygon","coordinates":[[[[-122.4194,37.7749],[-118.2437,34.0522],[-74.0060,40.7128],[-122.4194,37.7749]]]]}', 1) AS geojson;
SELECT size(h3_coverash3('POLYGON((-122.4194 37.7749,-118.2437 34.0522,-74.0060 40.7128,-122.4194 37.7749))', 2)) AS polygon, h3_coverash3string('LINESTRING(-122.4194 37.7749,-118.2437 34.0522)', 2) AS line, h3_try_coverash3string('MULTILINESTRING((20 0, 20 0.01),(40 0, 40.01 0))', 4) AS lines;
SELECT h3_h3tostring(cellid) AS cell, core, hex(chip) AS chip FROM (SELECT inline(h3_tessellateaswkb('MULTIPOINT(20 0,20 10,40 30)', 0))) ORDER BY cell;
SELECT count(*) AS chips, count_if(core) AS cores FROM (SELECT explode(h3_tessellateaswkb('POLYGON((0 0,10 0,10 10,0 10,0 0))', 2)) AS c) LATERAL VIEW inline(array(c)) AS cell, core, chip;
-- name: what is no shape, or another one
SELECT h3_try_polyfillash3('POINT(1 2)', 2) AS point, h3_try_coverash3('POINT(1 2)', 2) AS covered, h3_try_tessellateaswkb('POLYGON((', 2) AS broken, h3_try_polyfillash3string(X'00', 2) AS short, h3_try_coverash3string('{"type":"Point"}', 2) AS geojson, h3_polyfillash3(NULL, 2) AS none, h3_coverash3('POLYGON EMPTY', 2) AS empty;
SELECT h3_polyfillash3('POLYGON((0 0', 2);
SELECT h3_coverash3('{"type":"Point","coordinates":[1,2]}', 2);
SELECT h3_tessellateaswkb(X'0101', 2);
SELECT h3_tessellateaswkb('GEOMETRYCOLLECTION(POINT(1 2))', 2);
SELECT h3_try_polyfillash3('POINT(1 2)', 16);
