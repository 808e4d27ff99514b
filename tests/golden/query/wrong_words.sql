-- log: off

CREATE TABLE orders (id INT, item STRING, qty INT);
CREATE TABLE s (id INT, item STRING, qty INT);
-- name: known, and not supported, as Spark's parser tells
INSERT INTO orders (id, qty) VALUES (1, 2) ON CONFLICT DO NOTHING;
INSERT INTO orders (id, qty) SELECT id, qty FROM orders RETURNING *;
-- name: words that are spelt wrong
SELECT * FORM orders;
SELECT * FROM orders WHERE item LIK 'a%';
SELECT * FROM orders WHERE id = 3 ANND item = 'a';
SELECT item FROM orders GRUOP BY item;
SELECT id FROM orders o JION s ON o.id = s.id;
SELECT * FROM orders o LEFT OUTTER JOIN s ON o.id = s.id;
SELECT id FROM orders HAVNG id > 1;
INSERT INTO orders SELECT * FORM s;
DELETE FROM orders WHERE item LIK 'a';
UPDATE orders SET qty = 1 WERE id = 2;
-- name: words that are left out
SELECT * FROM orders ORDER qty;
SELECT * FROM orders VERSION OF 1;
SELECT id FROM orders o JOIN s o.id = s.id;
SELECT * orders;
-- name: ends that come too soon
SELECT * FROM;
SELECT id FROM;
SELECT * FROM orders WHERE;
SELECT * FROM orders WHERE item = 'a' AND;
SELECT * FROM orders ORDER BY;
SELECT * FROM orders LIMIT;
SELECT * FROM orders UNION;
SELECT id FROM orders WHERE id =;
-- name: too much, or something else
SELECT id, FROM orders;
SELECT * INTO x FROM orders;
SELECT FROM orders;
SELECT * FROM orders WHERE id IN 1, 2;
SELECT * FROM orders WHERE id = = 1;
SELECT * FROM orders WHERE id => 1;
-- name: functions
SELECT cuont(*) FROM orders;
UPDATE orders SET qty = cuont(1);
SELECT foo_bar(id) FROM orders;
-- name: nothing is suggested where nothing fits
SELECT * FROM orders WHERE id frobs 3;
SELECT a b c d FROM orders;
-- name: columns of MERGE
MERGE INTO orders t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.idd;
MERGE INTO orders t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET qty = id;
