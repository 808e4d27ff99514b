-- expect: no jvm

-- log: off
CREATE TABLE p (id INT, b INT, PRIMARY KEY (id));
-- log: off
CREATE TABLE c (id INT, CONSTRAINT `to p` FOREIGN KEY (id) REFERENCES p);
-- log: off
CREATE SCHEMA other;
-- log: off
CREATE TABLE other.d (id INT REFERENCES p, up INT, n INT, PRIMARY KEY (id), CONSTRAINT self FOREIGN KEY (up) REFERENCES other.d);
-- name: they go first
alter /* a */ table `P` drop PRIMARY key if exists cascade;
SHOW CREATE TABLE c;
-- name: that goes with it
ALTER TABLE other.d DROP CONSTRAINT d_pk CASCADE;
SHOW CREATE TABLE other.d;
-- name: there is none
ALTER TABLE p DROP PRIMARY KEY IF EXISTS;
ALTER TABLE p DROP PRIMARY KEY;
-- log: off
ALTER TABLE p ADD CONSTRAINT mine PRIMARY KEY (id);
-- name: by its name, which has any case
ALTER TABLE p DROP CONSTRAINT IF EXISTS MINE;
