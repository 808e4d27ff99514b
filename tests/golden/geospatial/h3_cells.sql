-- log: off

-- name: of BIGINTs and of STRINGs
SELECT h3_kring(599686042433355775, 1) AS longs, h3_kring('85283473fffffff', 1) AS texts, h3_kring('85283473fffffff', 0) AS itself;
SELECT h3_hexring('85283473fffffff', 1) AS ring, h3_kringdistances('85283473fffffff', 1) AS distances;
SELECT h3_toparent(599686042433355775, 0) AS parent, h3_toparent('85283473fffffff', 0) AS text, typeof(h3_toparent('85283473fffffff', 0)) AS kind;
SELECT h3_tochildren('85283473fffffff', 6) AS children, h3_minchild('85283473fffffff', 8) AS least, h3_maxchild(599686042433355775, 10) AS most;
SELECT h3_resolution(599686042433355775), h3_resolution('85283473fffffff') + 1, h3_h3tostring(599686042433355775), h3_stringtoh3('85283473fffffff');
SELECT h3_distance(599686030622195711, 599686015589810175) AS longs, h3_distance('85283447fffffff', '8528340ffffffff') AS texts;
SELECT h3_ischildof(608693241318998015, 599686042433355775) AS child, h3_ischildof('85283473fffffff', '85283473fffffff') AS same, h3_ischildof('85283473fffffff', '88283471b9fffff') AS parent;
SELECT h3_ispentagon(599686042433355775) AS hexagon, h3_ispentagon('8009fffffffffff') AS pentagon, h3_isvalid('85283473fffffff') AS valid, h3_isvalid(0) AS zero, h3_isvalid('x') AS word;
SELECT h3_validate('85283473fffffff') AS valid, h3_try_validate(0) AS zero, h3_try_validate('zoom') AS word;
SELECT h3_longlatash3(100, 45, 6) AS cell, h3_longlatash3string(100.0, 45, 6) AS text, h3_longlatash3(-122.4783, 37.8199, 13) AS bridge;
SELECT h3_compact(array(599686042433355775, 599686038138388479, 599686039212130303, 599686040285872127, 599686041359613951, 599686043507097599, 599686044580839423, 599686030622195711, NULL)) AS compact, h3_compact(array('85283473fffffff')) AS one;
SELECT h3_uncompact(array(599686030622195711, 595182446027210751), 5) AS cells, h3_uncompact(array('85283473fffffff', NULL), 5) AS texts;
-- name: centers and boundaries
SELECT h3_centeraswkt(599686042433355775) AS wkt, h3_centerasgeojson('8009fffffffffff') AS geojson, hex(h3_centeraswkb('85283473fffffff')) AS wkb;
SELECT h3_boundaryaswkt(599686042433355775) AS wkt, h3_boundaryasgeojson('85283473fffffff') AS geojson, hex(h3_boundaryaswkb('85283473fffffff')) AS wkb;
-- name: distances that are none
SELECT h3_try_distance(h3_longlatash3(-120, 45, 13), h3_longlatash3(120, 45, 13)) AS far, try_h3_distance(644730217149254377, 644877068142171537) AS farther;
SELECT h3_distance(h3_longlatash3(-120, 45, 13), h3_longlatash3(120, 45, 13));
SELECT h3_try_distance(h3_longlatash3(120, 45, 13), h3_longlatash3(120, 45, 12));
-- name: NULL in, NULL out
SELECT h3_resolution(NULL) AS a, h3_kring(NULL, 1) AS b, h3_kring('85283473fffffff', NULL) AS c, h3_toparent(CAST(NULL AS STRING), 1) AS d, h3_isvalid(NULL) AS e, h3_compact(NULL) AS f, h3_longlatash3(NULL, 1, 99) AS g;
