-- expect: no jvm

-- name: a new table
CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true');
-- name: switched off, and on again
ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false');
ALTER TABLE t SET TBLPROPERTIES ('DELTA.ENABLEROWTRACKING' = TRUE);
-- name: a table that is replaced goes on tracking its rows
CREATE OR REPLACE TABLE t (name STRING);
-- name: unless it is told not to
CREATE OR REPLACE TABLE t (name STRING) TBLPROPERTIES ('delta.enableRowTracking' = 'false');
-- name: suspended
ALTER TABLE t SET TBLPROPERTIES ('delta.rowTrackingSuspended' = 'true');
-- name: resumed first
ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.rowTrackingSuspended' = 'false');

-- name: an existing table
CREATE TABLE u (id INT);
ALTER TABLE u SET TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'team' = 'sales');
-- name: the feature alone
CREATE TABLE v (id INT) TBLPROPERTIES ('delta.feature.rowTracking' = 'supported');
CREATE TABLE w (id INT);
ALTER TABLE w SET TBLPROPERTIES ('delta.feature.rowTracking' = 'supported');
EXPLAIN ALTER TABLE w SET TBLPROPERTIES ('delta.enableRowTracking' = 'true');
ALTER TABLE w SET TBLPROPERTIES ('delta.enableRowTracking' = 'true');
-- name: wrong, names of columns are Delta's own
ALTER TABLE w SET TBLPROPERTIES ('delta.rowTracking.materializedRowIdColumnName' = 'mine');
