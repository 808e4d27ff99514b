-- Two statements that change the metadata of one table: the second is told, and rows go on being written.
-- expect: no jvm
-- log: off

CREATE TABLE t (id INT NOT NULL, b INT NOT NULL);

-- session: A
ALTER TABLE t ADD CONSTRAINT a PRIMARY KEY (id);

-- session: B
ALTER TABLE t ADD CONSTRAINT b PRIMARY KEY (b);

-- session: I
INSERT INTO t VALUES (1, 2);

-- check:
SHOW CREATE TABLE t;

-- name: a key each
-- schedule: begin A, begin B, commit A, commit B

-- name: rows meanwhile
-- schedule: begin A, begin I, commit I, commit A
