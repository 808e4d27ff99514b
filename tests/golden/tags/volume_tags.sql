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
