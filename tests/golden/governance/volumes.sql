-- Privileges on volumes, which stay with a volume that is renamed, and go with a dropped one.
-- expect: no jvm
-- log: off
CREATE SCHEMA s;
CREATE VOLUME v;
CREATE VOLUME s.`my-files` COMMENT 'of s';
SET deltasql.governance = RECORD;

-- name: recorded
GRANT READ VOLUME, WRITE VOLUME ON VOLUME v TO bob;
grant read volume on volume s.`My-Files` to `a@b.c`;
GRANT ALL PRIVILEGES ON VOLUME spark_catalog.s.`my-files` TO eve;
GRANT READ VOLUME ON SCHEMA s TO team;
SHOW GRANTS ON VOLUME v;
SHOW GRANTS ON VOLUME s.`my-files`;
SHOW GRANTS bob ON VOLUME v;
ALTER VOLUME v OWNER TO bob;

-- name: revoked
REVOKE WRITE VOLUME ON VOLUME v FROM bob;
SHOW GRANTS ON VOLUME v;

-- name: renamed
ALTER VOLUME v RENAME TO w;
SHOW GRANTS ON VOLUME w;
COMMENT ON VOLUME w IS 'kept';
SHOW GRANTS ON VOLUME w;

-- name: dropped
DROP VOLUME w;
CREATE VOLUME w;
SHOW GRANTS ON VOLUME w;

-- name: wrong
GRANT SELECT ON VOLUME w TO bob;
GRANT READ VOLUME ON VOLUME missing TO bob;
SHOW GRANTS ON VOLUME v;
