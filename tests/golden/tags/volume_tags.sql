-- Tags of volumes, which the catalog keeps beside them.
-- expect: no jvm
-- log: off

CREATE VOLUME v;
-- name: set and unset
ALTER VOLUME v SET TAGS ('team' = 'sales', raw);
SET TAG ON VOLUME v level = 'gold';
SET TAG ON VOLUME v level = 'silver';
ALTER VOLUME v UNSET TAGS (raw, nothing);
UNSET TAG ON VOLUME default.v team;
UNSET TAG ON VOLUME v team;
-- name: wrong
ALTER VOLUME v SET TAGS (a = '1', a = '2');
SET TAG ON VOLUME missing a;
ALTER VOLUME missing UNSET TAGS (a);
-- name: with the volume
ALTER VOLUME v RENAME TO w;
UNSET TAG ON VOLUME w level;
-- name: in the information schema
-- log: off
CREATE VOLUME files;
ALTER VOLUME files SET TAGS ('a' = 'b', 'unit');
GRANT READ VOLUME ON VOLUME files TO `ada@example.com`;
GRANT SELECT ON SCHEMA default TO analysts;
ALTER VOLUME files OWNER TO `ada@example.com`;
SELECT * FROM information_schema.volume_tags;
SELECT * FROM information_schema.volume_privileges;
SELECT volume_name, volume_owner FROM information_schema.volumes;
