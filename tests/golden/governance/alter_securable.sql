-- Groups, and wrong statements on securables.
-- expect: no jvm
-- log: off

SET deltasql.governance = RECORD;
CREATE CONNECTION c TYPE mysql;

-- name: groups
CREATE GROUP g WITH USER `ann@example.com`, bob;
CREATE GROUP h WITH GROUP g;
ALTER GROUP g ADD USER carl, GROUP h;
ALTER GROUP g ADD USER carl;
ALTER GROUP g DROP USER bob;
-- mask: /Created At \| .*/
DESCRIBE GROUP g;
SHOW GROUPS;
SHOW GROUPS WITH USER carl;
SHOW GROUPS WITH GROUP g;
DROP GROUP h;
SHOW GROUPS LIKE 'g*';

-- name: comments
COMMENT ON CONNECTION c IS 'of the shop';
comment /* it */ on GROUP `G` is 'people';
SHOW CONNECTIONS;
SHOW GROUPS;
COMMENT ON CONNECTION c IS NULL;
SHOW CONNECTIONS;
COMMENT ON SHARE missing IS 'x';
SET deltasql.governance = WARN;
COMMENT ON EXTERNAL LOCATION missing IS 'x';
SET deltasql.governance = ERROR;
COMMENT ON CONNECTION c IS 'x';
SET deltasql.governance = RECORD;

-- name: wrong
CREATE SHARE x FOO;
CREATE EXTERNAL LOCATION l2 URL;
CREATE SHARE a.b;
ALTER SHARE missing OWNER TO ann;
ALTER SHARE missing;
ALTER CONNECTION c RENAME TO c TO d;
DESCRIBE SHARE missing;
CREATE OR REPLACE EXTERNAL LOCATION l URL 'x' WITH (CREDENTIAL c);
SHOW USERS;
