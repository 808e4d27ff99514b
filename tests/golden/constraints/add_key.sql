-- expect: no jvm

CREATE TABLE persons (first_name STRING NOT NULL, last_name STRING NOT NULL, nickname STRING, s STRUCT<a: INT>);
-- name: plain; upper case of columns
ALTER TABLE persons ADD CONSTRAINT persons_pk PRIMARY KEY (FIRST_NAME, last_name);
-- log: off
CREATE TABLE `pets-p` (name STRING, owner_first_name STRING, owner_last_name STRING, n INT, `vet-id` INT);
-- name: a foreign key; quoted, comments, options in any order
alter table `pets-p` /* its */ add constraint Pets_Persons_FK foreign key (owner_first_name, owner_last_name) -- whose
references persons on delete no action match full not enforced deferrable initially deferred rely;
-- log: off
CREATE SCHEMA other;
-- name: without a name, of another schema, TIMESERIES
-- log: off
CREATE TABLE other.vets (id INT NOT NULL, since TIMESTAMP NOT NULL, PRIMARY KEY (id, since TIMESERIES) ENABLE NOVALIDATE NORELY);
-- log: off
CREATE TABLE visits (vet INT, `since-when` TIMESTAMP, day DATE);
-- log: off
ALTER TABLE visits ADD FOREIGN KEY (`since-when`, vet) REFERENCES other.vets (SINCE, id);
-- log: off
ALTER TABLE visits ADD CONSTRAINT short CHECK (vet > 0) ENFORCED;
-- name: what is shown
DESCRIBE EXTENDED persons;
DESCRIBE EXTENDED visits;
SHOW CREATE TABLE `pets-p`;
SHOW CREATE TABLE other.vets;
SHOW TBLPROPERTIES persons;
-- log: off
CREATE TABLE parts (id INT CONSTRAINT p PRIMARY KEY NOT ENFORCED RELY COMMENT 'of a part', whole INT CONSTRAINT in_whole FOREIGN KEY REFERENCES parts MATCH FULL, place INT CHECK (place > 0));
-- name: a table that refers to itself; the columns of the primary key are NOT NULL
SHOW CREATE TABLE parts;
-- log: off
CREATE TABLE copy LIKE parts;
-- name: LIKE takes the keys along
SHOW CREATE TABLE copy;
-- log: off
CREATE TABLE mapped (id INT PRIMARY KEY, b INT REFERENCES parts) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
-- log: off
ALTER TABLE mapped RENAME COLUMN id TO `the id`;
-- log: off
ALTER TABLE mapped RENAME COLUMN b TO part;
-- name: keys follow a rename
SHOW CREATE TABLE mapped;
-- name: a table at a path
CREATE TABLE delta.`${WAREHOUSE}/at/place` (id INT PRIMARY KEY, other INT REFERENCES delta.`${WAREHOUSE}/at/place`);
-- log: off
CREATE TABLE q (id INT REFERENCES delta.`${WAREHOUSE}/at/place`);
SHOW CREATE TABLE q;
-- log: off
CREATE OR REPLACE TABLE q (id INT);
-- name: REPLACE has the keys that it declares
SHOW CREATE TABLE q;
-- name: a log that is there has the declared keys
CREATE TABLE named (id INT PRIMARY KEY, other INT REFERENCES delta.`${WAREHOUSE}/at/place`) LOCATION '${WAREHOUSE}/at/place';

-- name: columns called like the words
CREATE TABLE words (primary INT NOT NULL, key INT, rely INT, unique INT, PRIMARY KEY (primary) RELY);
EXPLAIN ALTER TABLE words ADD FOREIGN KEY (key) REFERENCES words;
