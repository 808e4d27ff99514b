-- expect: no jvm

-- name: V2 checkpoints from the start
CREATE TABLE c (id INT) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2');
-- name: and later
CREATE TABLE t (id INT);
ALTER TABLE t SET TBLPROPERTIES ('DELTA.checkpointpolicy' = 'V2');
-- name: back to the classic kind: the feature stays
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointPolicy' = 'classic');
-- name: the feature alone
CREATE TABLE f (id INT) TBLPROPERTIES ('delta.feature.v2checkpoint' = 'supported');
-- name: wrong, no such policy
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v3');
-- name: statistics in checkpoints as structs only
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false', 'delta.checkpoint.writeStatsAsStruct' = 'true');
-- name: wrong, not a boolean
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'sometimes');
