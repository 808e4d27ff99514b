-- log: off

-- name: texts and bytes that are no shapes
SELECT st_geomfromtext('POINT(1');
SELECT to_geometry('{"type":"Point","coordinates":[1');
SELECT st_geomfromewkb(X'0101');
SELECT st_geogfromtext('POINT(181 0)');
-- name: shapes that a function does not take
SELECT st_distance(st_point(1, 2, 4326), st_point(1, 2));
SELECT st_x(st_geomfromtext('LINESTRING(1 2,3 4)'));
SELECT st_startpoint(st_geomfromtext('LINESTRING EMPTY'));
SELECT st_pointn(st_geomfromtext('LINESTRING(1 2,3 4)'), 3);
SELECT st_addpoint(st_geomfromtext('LINESTRING(1 2,3 4)'), st_geomfromtext('POINT EMPTY'));
SELECT st_distance(st_geogfromtext('POINT(1 2)'), st_geogfromtext('POINT(1 2)'));
SELECT st_area('POINT(1 2)');
SELECT st_transform(st_point(1, 2), 4326);
SELECT st_point(1, 2, 99);
-- name: more values than arguments, or fewer
SELECT st_point(1);
SELECT st_collect(array(st_point(1, 2), st_point(1, 2, 4326)));
SELECT st_concavehull(st_point(1, 2), 1.5);
-- name: a function of which nothing is known
SELECT st_linemerge(st_point(1, 2));
