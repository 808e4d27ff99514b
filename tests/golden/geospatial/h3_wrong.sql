-- log: off

-- name: values that are no cells, resolutions or distances
SELECT h3_resolution(0);
SELECT h3_kring('zoom', 1);
SELECT h3_kring('85283473fffffff', -1);
SELECT h3_longlatash3(-122.4783, 37.8199, 16);
SELECT h3_toparent(599686042433355775, h3_resolution(599686042433355775) + 1);
SELECT h3_tochildren(599686042433355775, 4);
SELECT h3_uncompact(array('85283473fffffff'), 4);
SELECT h3_hexring('8009fffffffffff', 1);
SELECT h3_validate(590112357393367678);
SELECT h3_resolution(1.5);
SELECT h3_resolution(DATE'2020-01-01');
-- name: more values than arguments, or fewer
SELECT h3_kring('85283473fffffff');
SELECT h3_resolution('85283473fffffff', 2, 3);
