-- CREATE FUNCTION … LANGUAGE PYTHON: values and tables, their arguments, and their errors.
-- log: off

CREATE TABLE t (id INT, s STRING, v INT);
INSERT INTO t VALUES (1, 'a', 10), (2, 'it''s', 0), (3, NULL, NULL);

-- name: a body with return
CREATE FUNCTION twice(x INT) RETURNS INT LANGUAGE PYTHON AS $$
  # it's a comment; with a semicolon
  return None if x is None else x * 2
$$;
SELECT id, twice(v) FROM t;
SELECT twice('21'), twice(x => 4);

-- name: a handler, a tag, a default
CREATE OR REPLACE FUNCTION greet(name STRING, greeting STRING DEFAULT 'hello')
RETURNS STRING
LANGUAGE PYTHON
NOT DETERMINISTIC
COMMENT 'greets'
HANDLER 'make'
AS $py$
def prefix(text):
    return f"{text}, "

def make(name, greeting):
    return prefix(greeting) + (name or "nobody")
$py$;
SELECT greet(s), greet(s, greeting => 'hi') FROM t;

-- name: a string as code
CREATE FUNCTION one() RETURNS INT LANGUAGE PYTHON AS 'return 1';
SELECT one();

-- name: a table
CREATE FUNCTION split_words(text STRING, n INT DEFAULT 1) RETURNS TABLE (word STRING, place INT)
LANGUAGE PYTHON HANDLER 'Words' AS $$
class Words:
    def __init__(self):
        self.seen = 0
    def eval(self, text, n):
        for word in (text or "").split():
            self.seen += 1
            yield word * n, self.seen
    def terminate(self):
        yield "end", self.seen
$$;
SELECT * FROM split_words('a b');
SELECT t.id, w.word FROM t, LATERAL split_words(t.s, 2) AS w WHERE w.word <> 'end';

-- name: types
CREATE FUNCTION shown(d DATE, ts TIMESTAMP, n DECIMAL(10, 2), a ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<x: INT>, b BINARY)
RETURNS STRING LANGUAGE PYTHON AS $$
return f"{d} {ts} {n} {a} {m} {s.x} {bytes(b)}"
$$;
SELECT shown(DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05', 1.5, array(1, 2), map('k', 1), named_struct('x', 7), X'0102');
CREATE FUNCTION made(x INT) RETURNS STRUCT<a: ARRAY<INT>, d: DECIMAL(5, 2), day: DATE> LANGUAGE PYTHON AS $$
from datetime import date
from decimal import Decimal
return ([x, x + 1], Decimal("1.25"), date(2024, 5, x))
$$;
SELECT made(3);

-- name: in DML, views and functions of SQL
UPDATE t SET v = twice(v) WHERE twice(id) = 2;
DELETE FROM t WHERE greet(s) = 'hello, nobody';
MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 9) AS s ON t.id = s.id AND twice(t.id) = 2
WHEN MATCHED THEN UPDATE SET s = greet(t.s) WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, twice(s.id));
SELECT * FROM t;
CREATE VIEW v AS SELECT id, twice(id) AS doubled FROM t;
SELECT * FROM v;
CREATE FUNCTION four_times(x INT) RETURNS INT RETURN twice(twice(x));
SELECT four_times(3);
CREATE TABLE copied AS SELECT twice(id) AS id FROM t;
SELECT * FROM copied;

-- name: temporary
CREATE TEMPORARY FUNCTION thrice(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return x * 3 $$;
SELECT thrice(2);
DROP TEMPORARY FUNCTION thrice;
SELECT thrice(2);

-- name: described
DESCRIBE FUNCTION greet;
-- mask: /Create Time: .*/
DESCRIBE FUNCTION EXTENDED greet;
SHOW USER FUNCTIONS LIKE 'gr*';
SELECT routine_name, external_language, routine_body FROM information_schema.routines;

-- name: errors of the code
CREATE FUNCTION inverse(x INT) RETURNS DOUBLE LANGUAGE PYTHON AS $$
y = 1
return y / x
$$;
UPDATE t SET v = inverse(0);
SELECT inverse(0);
SELECT id, v FROM t;
ALTER TABLE t ADD CONSTRAINT c CHECK (twice(v) > 0);
CREATE TABLE g (a INT DEFAULT twice(1)) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported');
DROP FUNCTION twice;
SELECT * FROM v;
-- name: values of another type than that in RETURNS, or beyond it
CREATE FUNCTION text_for_int(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return 'abc' $$;
SELECT text_for_int(1) AS v;
CREATE FUNCTION too_large(x INT) RETURNS TINYINT LANGUAGE PYTHON AS $$ return 300 $$;
SELECT too_large(1) AS v;
CREATE FUNCTION no_map(x INT) RETURNS MAP<STRING, INT> LANGUAGE PYTHON AS $$ return [1] $$;
SELECT no_map(1) AS v;
