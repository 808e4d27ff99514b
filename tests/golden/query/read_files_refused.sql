-- expect: no jvm
CREATE TABLE t (id INT);
SELECT * FROM t;
