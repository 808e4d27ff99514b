-- log: off

CREATE TABLE orders (id INT, item STRING, qty INT);
CREATE TABLE s (id INT, item STRING, qty INT);
-- name: forms of other dialects
SELECT * EXCEPT () FROM orders;
INSERT INTO orders (id) SELECT id FROM s JOIN orders o ON s.id = o.id ON CONFLICT (id) DO NOTHING;
-- name: no such forms
SELECT top, version, limit l, exclude FROM (SELECT 1 AS top, 2 AS version, 3 AS limit, 4 AS exclude);
