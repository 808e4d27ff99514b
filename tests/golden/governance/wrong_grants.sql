-- GRANT and OWNER TO with wrong names, kinds and privileges.
-- expect: no jvm
-- log: off

CREATE TABLE t (id INT);
CREATE SCHEMA s;
CREATE VIEW v AS SELECT 1 AS one;
CREATE TABLE s.u (id INT);
SET deltasql.governance = RECORD;

-- name: wrong
GRANT SELECT ON TABLE missing TO bob;
GRANT SELECT ON SCHEMA missing TO bob;
GRANT SELECT ON CATALOG missing TO bob;
GRANT EXECUTE ON FUNCTION missing TO bob;
GRANT SELECTT ON TABLE v TO bob;
GRANT MODIFY ON v TO bob;
GRANT EXECUTE ON TABLE v TO bob;
GRANT SELECT ON VIEW s.u TO bob;
GRANT SELECT ON delta.`/tmp/x` TO bob;
GRANT SELECT ON VOLUME x TO bob;
ALTER VOLUME x OWNER TO bob;
GRANT SELECT ON MATERIALIZED VIEW s.u TO bob;
GRANT SELECT ON STREAMING TABLE v TO bob;
GRANT SELECT ON ANY FILE TO bob;
GRANT SELECT ON information_schema.tables TO bob;
ALTER TABLE missing OWNER TO bob;
SET deltasql.governance = maybe;
