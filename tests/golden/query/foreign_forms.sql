-- log: off

CREATE TABLE orders (id INT, item STRING, qty INT);
CREATE TABLE s (id INT, item STRING, qty INT);
-- name: forms of other dialects
SELECT * FROM orders@0;
SELECT * FROM orders VERSION 0;
SELECT * FROM s JOIN orders TIMESTAMP '2026-01-01' ON true;
SELECT * EXCLUDE (id) FROM orders;
SELECT s.* EXCLUDE id FROM s;
SELECT id, [item] FROM orders;
SELECT * FROM [order items];
DELETE FROM orders WHERE id IN (SELECT DISTINCT TOP 5 id FROM s);
SELECT * EXCEPT () FROM orders;
INSERT INTO orders (id) SELECT id FROM s JOIN orders o ON s.id = o.id ON CONFLICT (id) DO NOTHING;
-- name: no such forms
SELECT top, version, limit l, exclude FROM (SELECT 1 AS top, 2 AS version, 3 AS limit, 4 AS exclude);
