-- Columns of files are not known before they are read, nor those of what is made of them.
CREATE OR REPLACE TEMP VIEW landed AS SELECT * FROM read_files('/Volumes/a/b/c', format => 'csv');
CREATE OR REPLACE TABLE loaded AS SELECT * FROM landed WHERE amount > 0;
CREATE OR REPLACE VIEW totals AS SELECT day, sum(amount) AS total FROM loaded GROUP BY day;
SELECT day, total FROM totals;
CREATE TABLE again AS SELECT l.*, t.total FROM loaded l JOIN totals t USING (day);
UPDATE again SET total = 0 WHERE region = 'x';
INSERT INTO loaded BY NAME SELECT id, amount FROM again;
