-- Transactions over several tables that the catalog manages: one ratification of all their versions.
-- expect: no jvm
-- mask: metrics

CREATE TABLE orders (id INT, pieces INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
CREATE TABLE stock (item INT, pieces INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
CREATE TABLE prices (item INT, price INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
CREATE TABLE plain (item INT, pieces INT);
INSERT INTO stock VALUES (1, 10), (2, 20);
INSERT INTO prices VALUES (1, 5);
-- name: all or nothing
BEGIN ATOMIC
  INSERT INTO orders VALUES (1, 3);
  UPDATE stock SET pieces = pieces - 3 WHERE item = 1;
END;
SELECT * FROM orders;
SELECT * FROM stock ORDER BY item;
SELECT count(*) FROM orders;
-- name: by hand, with a change of columns
BEGIN TRANSACTION;
ALTER TABLE stock ADD COLUMN place STRING;
INSERT INTO stock VALUES (3, 30, 'cellar');
DELETE FROM prices WHERE item = 1;
INSERT INTO orders VALUES (3, 1);
SELECT * FROM stock ORDER BY item;
COMMIT;
SELECT * FROM stock ORDER BY item;
BEGIN TRANSACTION;
TRUNCATE TABLE stock;
DELETE FROM orders;
ROLLBACK;
SELECT count(*) FROM stock;
-- name: what cancels out is no version
BEGIN ATOMIC
  INSERT INTO orders VALUES (9, 9);
  INSERT INTO prices VALUES (2, 7);
  DELETE FROM orders WHERE id = 9;
END;
-- name: a plain table is the only one that is written
BEGIN ATOMIC INSERT INTO plain SELECT item, pieces FROM stock; DELETE FROM plain WHERE item = 2; END;
CREATE TABLE plain2 (a INT);
BEGIN ATOMIC INSERT INTO plain VALUES (4, 4); INSERT INTO plain2 VALUES (4); END;
ALTER TABLE plain SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported');
BEGIN ATOMIC INSERT INTO plain VALUES (4, 4); INSERT INTO orders VALUES (4, 4); END;
-- name: what is refused stays refused
BEGIN TRANSACTION;
INSERT INTO orders VALUES (5, 5);
OPTIMIZE stock;
CREATE TABLE other AS SELECT * FROM orders;
DROP TABLE stock;
COPY INTO stock FROM '/in' FILEFORMAT = CSV;
ALTER TABLE stock DROP FEATURE catalogManaged;
BEGIN ATOMIC INSERT INTO stock VALUES (9, 9, NULL); END;
ROLLBACK;
