-- UNIQUE informs, as other keys do: Databricks, informational constraints.
-- expect: no jvm

-- name: of a column and of a table
CREATE TABLE users (id INT PRIMARY KEY, email STRING UNIQUE RELY, first STRING, last STRING, CONSTRAINT one_name UNIQUE (first, last) NOT ENFORCED);
SHOW CREATE TABLE users;
-- log: off
CREATE TABLE logins (email STRING, at TIMESTAMP, first STRING, last STRING, user INT);
-- name: added later; without a name
ALTER TABLE logins ADD UNIQUE (email, at);
-- name: foreign keys refer to it
-- log: off
ALTER TABLE logins ADD CONSTRAINT of_user FOREIGN KEY (email) REFERENCES users (email);
-- log: off
ALTER TABLE logins ADD CONSTRAINT of_name FOREIGN KEY (first, last) REFERENCES users (first, last);
-- log: off
ALTER TABLE logins ADD FOREIGN KEY (user) REFERENCES users;
-- log: off
DESCRIBE EXTENDED logins;
SELECT constraint_name, constraint_type, enforced FROM information_schema.table_constraints WHERE table_name IN ('users', 'logins') ORDER BY 1;
SELECT constraint_name, unique_constraint_name FROM information_schema.referential_constraints ORDER BY 1;
-- log: off
INSERT INTO users VALUES (1, NULL, 'a', 'b'), (2, NULL, 'a', 'b');
-- name: what still refers to it
ALTER TABLE users DROP CONSTRAINT users_unique;
ALTER TABLE users RENAME TO people;
-- name: with those that refer to its columns
-- log: off
ALTER TABLE users DROP CONSTRAINT users_unique CASCADE;
-- log: off
ALTER TABLE logins DROP CONSTRAINT logins_unique;
SHOW CREATE TABLE logins;
-- name: what is wrong
ALTER TABLE logins ADD FOREIGN KEY (at) REFERENCES users (last);
ALTER TABLE logins ADD UNIQUE (email, email);
ALTER TABLE logins ADD UNIQUE (email) MATCH FULL;
ALTER TABLE users DROP COLUMN first;
