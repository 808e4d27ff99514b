-- GRANT, REVOKE, DENY and SHOW GRANTS: refused, ignored, or recorded.
-- expect: no jvm
-- log: off

CREATE TABLE t (id INT);
CREATE SCHEMA s;
CREATE VIEW v AS SELECT 1 AS one;

-- name: refused
SET deltasql.governance = WARN;
-- name: ignored
GRANT SELECT ON TABLE t TO bob;
SHOW GRANTS ON t;
ALTER TABLE t OWNER TO bob;
GRANT NONSENSE ON TABLE missing TO bob;

SET deltasql.governance = RECORD;
-- name: recorded
GRANT SELECT, MODIFY ON TABLE t TO `bob@example.com`;
grant /* the view */ select on view v to `account users`;
GRANT USE SCHEMA, CREATE TABLE ON SCHEMA default TO bob;
GRANT USE CATALOG ON CATALOG spark_catalog TO bob;
GRANT ALL PRIVILEGES ON CATALOG TO ann;
GRANT CREATE CATALOG ON METASTORE TO ann;
SHOW GRANTS ON TABLE t;
SHOW GRANTS bob ON t;
SHOW GRANT `BOB@example.com` ON spark_catalog.default.t;
SHOW GRANTS ON SCHEMA default;
SHOW GRANTS ON CATALOG;
SHOW GRANTS ON METASTORE;
SHOW GRANTS;
SHOW GRANTS ON v;

-- name: granted twice
GRANT SELECT ON t TO `bob@example.com`;
-- name: denied
DENY SELECT ON t TO `bob@example.com`;
SHOW GRANTS ON t;
-- name: revoked
REVOKE SELECT ON TABLE t FROM `bob@example.com`;
REVOKE ALL PRIVILEGES ON TABLE t FROM `bob@example.com`;
REVOKE SELECT ON TABLE t FROM nobody;
SHOW GRANTS `bob@example.com` ON t;

-- name: objects of services
GRANT EXECUTE ON MODEL ml.churn.best TO bob;
SHOW GRANTS ON MODEL ml.churn.best;
GRANT CAN_RUN ON GENIE SPACE `our space` TO bob, ann;
SHOW GRANTS ann ON GENIE SPACE `our space`;
GRANT SELECT ON ANY FILE TO bob;
GRANT EXECUTE ON PROCEDURE p TO bob;
