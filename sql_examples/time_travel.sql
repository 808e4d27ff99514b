-- Time travel: each commit makes a version, and every version can be read.
-- log: off

CREATE TABLE stock (item STRING, pieces INT);

INSERT INTO stock VALUES ('bolt', 10), ('nut', 20);

UPDATE stock SET pieces = pieces - 5 WHERE item = 'nut';

ALTER TABLE stock ADD COLUMN place STRING;

DELETE FROM stock WHERE item = 'bolt';

-- name: now
SELECT * FROM stock;

-- name: by version
SELECT * FROM stock VERSION AS OF 1;

-- name: short for the same
SELECT * FROM stock@v1;

-- name: two versions in one query: what changed since
SELECT coalesce(old.item, new.item) AS item, old.pieces AS before, new.pieces AS after
FROM stock VERSION AS OF 1 AS old FULL OUTER JOIN stock AS new ON old.item = new.item
WHERE NOT old.pieces <=> new.pieces;

-- name: by time, and why it may be refused: nothing was there yet
SELECT * FROM stock TIMESTAMP AS OF '2001-01-01';

-- name: a version that is not there yet
SELECT * FROM stock VERSION AS OF 99;

-- name: bring back what was deleted by mistake
INSERT INTO stock BY NAME SELECT * FROM stock VERSION AS OF 2 WHERE item = 'bolt';

SELECT * FROM stock;
