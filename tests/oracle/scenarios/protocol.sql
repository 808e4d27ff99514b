-- name: the weakest protocol
CREATE TABLE a (id INT) USING delta;
ALTER TABLE a SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
CREATE TABLE b (id INT) USING delta;
ALTER TABLE b ADD CONSTRAINT c CHECK (id > 0);
CREATE TABLE c (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.appendOnly' = 'true');
CREATE TABLE d (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'id');
CREATE TABLE e (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.checkpointPolicy' = 'v2');
