-- Comments of connections, groups and shares.
-- expect: no jvm
-- log: off

SET deltasql.governance = RECORD;
CREATE CONNECTION c TYPE mysql;
CREATE GROUP g;
COMMENT ON CONNECTION c IS 'of the shop';
comment /* it */ on GROUP `G` is 'people';
SHOW CONNECTIONS;
-- mask: /Created At \| .*/
DESCRIBE GROUP g;
COMMENT ON CONNECTION c IS NULL;
SHOW CONNECTIONS;
SET deltasql.governance = WARN;
COMMENT ON EXTERNAL LOCATION missing IS 'x';
SET deltasql.governance = ERROR;
SET deltasql.governance = RECORD;
