-- log: off

-- name: in the list, and behind a column
CREATE TABLE c (a INT, b STRING CONSTRAINT Named CHECK (b IS NOT NULL -- not so
) COMMENT 'b', CONSTRAINT `The Range` CHECK (a BETWEEN 1 AND 10 AND b <> 'x'));
SHOW CREATE TABLE c;
INSERT INTO c VALUES (1, 'y');
ALTER TABLE c DROP CONSTRAINT named;
INSERT INTO c VALUES (2, 'z');
-- name: replacing takes its own
CREATE OR REPLACE TABLE c (a INT, g INT GENERATED ALWAYS AS (a * 2), CONSTRAINT even CHECK (g % 4 = 0));
INSERT INTO c (a) VALUES (1);
INSERT INTO c (a) VALUES (2);
SHOW CREATE TABLE c;
-- name: columns of these names
CREATE TABLE d (constraint INT, check STRING, CONSTRAINT constraint CHECK (constraint > 0));
INSERT INTO d VALUES (0, 'x');
-- name: wrong
CREATE TABLE w (a INT, CONSTRAINT p CHECK (nope > 1));
CREATE TABLE w (a INT, CONSTRAINT p CHECK (a > ));
-- name: wrong, a stray word
ALTER TABLE c ADD CONSTRAINT stray CHECK (1 > 0 x);
-- name: wrong, more than a condition of one row
ALTER TABLE c ADD CONSTRAINT p CHECK (my_function(a));
ALTER TABLE c ADD CONSTRAINT p CHECK (session.upper(a) > '');
