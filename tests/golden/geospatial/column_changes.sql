-- log: off

CREATE TABLE places (id INT, g GEOMETRY(4326)) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'name');
INSERT INTO places SELECT id, st_point(id, 2 * id, 4326) FROM range(1, 4);
-- name: changes of rows
UPDATE places SET g = st_point(5, 5, 4326) WHERE id = 2;
DELETE FROM places WHERE st_x(g) = 3;
MERGE INTO places USING (SELECT 1 AS id, st_point(7, 8, 4326) AS g UNION ALL SELECT 9, NULL) AS s ON places.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT * FROM places ORDER BY id;
SELECT id, g, _change_type, _commit_version FROM table_changes('places', 2, 3) ORDER BY 4, 1, 3;
SELECT id, st_astext(g) FROM places VERSION AS OF 1 ORDER BY id;
-- name: copies, and files that are written anew
CREATE TABLE copy DEEP CLONE places;
CREATE TABLE flat AS SELECT id, g, st_transform(g, 3857) AS m FROM places WHERE g IS NOT NULL;
DESCRIBE flat;
ALTER TABLE copy ADD COLUMN e GEOGRAPHY(4326);
INSERT INTO copy SELECT 10, g, st_geogfromwkb(st_asbinary(g)) FROM places WHERE id = 1;
SELECT * FROM copy ORDER BY id;
