-- log: off

CREATE TABLE orders (id INT, item STRING, qty INT);
-- name: known, and not supported, as Spark's parser tells
INSERT INTO orders (id, qty) VALUES (1, 2) ON CONFLICT DO NOTHING;
INSERT INTO orders (id, qty) SELECT id, qty FROM orders RETURNING *;
