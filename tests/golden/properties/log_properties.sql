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
-- name: statistics in checkpoints as structs only
ALTER TABLE t SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false', 'delta.checkpoint.writeStatsAsStruct' = 'true');

-- name: commits with timestamps of their own, from the start
CREATE TABLE i (id INT) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');
-- name: and later
ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');
-- name: a table that replaces it goes on with them
CREATE OR REPLACE TABLE t (name STRING);
-- name: unless it says otherwise
CREATE OR REPLACE TABLE t (name STRING) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'false');
-- name: on again with other rows
CREATE OR REPLACE TABLE t (name STRING) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');
-- name: off
ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableInCommitTimestamps');

-- name: metadata of Hudi is not written
CREATE TABLE h (id INT) TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'HUDI');
ALTER TABLE h SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'hudi', 'delta.appendOnly' = 'false');
ALTER TABLE h SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = '');
ALTER TABLE h SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'hudi');
