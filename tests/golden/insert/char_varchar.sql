-- log: off

CREATE TABLE t (id INT, c CHAR(3), v VARCHAR(3));
-- name: CHAR is padded, VARCHAR is not; blanks at the end may be too many
INSERT INTO t VALUES (1, 'a', 'b'), (2, 'abc  ', 'abc  '), (3, NULL, NULL);
SELECT id, concat('[', c, ']') AS c, concat('[', v, ']') AS v FROM t;
-- name: wrong, too long
INSERT INTO t VALUES (4, 'abcd', 'x');
INSERT INTO t VALUES (4, 'abc', 'abcd');
UPDATE t SET v = concat(v, v, v, v) WHERE id = 1;
MERGE INTO t USING (SELECT 5 AS id, 'long text' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
