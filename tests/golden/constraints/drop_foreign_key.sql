-- expect: no jvm

-- log: off
CREATE TABLE p (id INT, b INT, PRIMARY KEY (id, b));
-- log: off
CREATE TABLE c (id INT, `b-b` INT, FOREIGN KEY (id, `b-b`) REFERENCES p);
-- name: there is none
ALTER TABLE c DROP FOREIGN KEY IF EXISTS (id);
-- name: plain; upper case, comments
alter table C drop foreign /* and */ key (ID, `B-B`);
ALTER TABLE c DROP FOREIGN KEY IF EXISTS (id, `b-b`);
