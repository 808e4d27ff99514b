-- log: off
-- NULL structs with evolution on. The table has col{y, z}, the source col{x, y}; afterwards it is col{y, z, x}.

CREATE TABLE source AS SELECT * FROM VALUES
  ('1: both', named_struct('x', 'sx', 'y', 'sy')), ('2: target NULL', named_struct('x', 'sx', 'y', 'sy')),
  ('3: both NULL', NULL), ('4: source NULL', NULL), ('5: source NULL, target all NULL', NULL), ('6: new, NULL', NULL),
  ('7: new', named_struct('x', 'sx', 'y', 'sy')) AS v(key, col);
CREATE TABLE a AS SELECT * FROM VALUES
  ('1: both', named_struct('y', 'ty', 'z', 'tz')), ('2: target NULL', NULL), ('3: both NULL', NULL),
  ('4: source NULL', named_struct('y', 'ty', 'z', 'tz')), ('5: source NULL, target all NULL', named_struct('y', NULL, 'z', NULL)) AS v(key, col);
-- name: section 4.3 rows 1 to 4 and 6, UPDATE SET *; INSERT *
MERGE WITH SCHEMA EVOLUTION INTO a t USING source s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT key, col.y, col.z, col.x, col IS NULL AS is_null FROM a;

CREATE TABLE b AS SELECT * FROM VALUES ('1: both', named_struct('y', 'ty')), ('4: source NULL', named_struct('y', 'ty')) AS v(key, col);
-- name: section 4.3 row 5, UPDATE SET *: no field of the target's own, so a NULL struct stays NULL
MERGE WITH SCHEMA EVOLUTION INTO b t USING source s ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT key, col.y, col.x, col IS NULL AS is_null FROM b;

CREATE TABLE c AS SELECT * FROM VALUES
  ('1: both', named_struct('y', 'ty', 'z', 'tz')), ('2: target NULL', NULL), ('3: both NULL', NULL), ('4: source NULL', named_struct('y', 'ty', 'z', 'tz')) AS v(key, col);
-- name: section 4.3 rows 6 and 7, UPDATE col = s.col; INSERT (key, col): whole values, z NULL
MERGE WITH SCHEMA EVOLUTION INTO c t USING source s ON t.key = s.key
WHEN MATCHED THEN UPDATE SET col = s.col WHEN NOT MATCHED THEN INSERT (key, col) VALUES (s.key, s.col);
SELECT key, col.y, col.z, col.x, col IS NULL AS is_null FROM c;

CREATE TABLE d AS SELECT * FROM VALUES
  (1, named_struct('y', named_struct('p', 1), 'z', 'tz')), (2, NULL), (3, named_struct('y', named_struct('p', 3), 'z', 'tz')) AS v(key, col);
-- name: section 4.3 row 8, UPDATE col.y = s.col.y: siblings kept, col.x not added, a NULL struct becomes one
MERGE WITH SCHEMA EVOLUTION INTO d t USING (SELECT * FROM VALUES
  (1, named_struct('x', 1, 'y', named_struct('q', 10))), (2, named_struct('x', 1, 'y', named_struct('q', 20))), (3, NULL) AS v(key, col)) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET col.y = s.col.y;
SELECT * FROM d;

CREATE TABLE e AS SELECT * FROM VALUES
  (1, named_struct('n', named_struct('y', 'ty', 'z', 'tz'))), (2, named_struct('n', named_struct('y', 'ty', 'z', 'tz'))), (3, named_struct('n', NULL)) AS v(key, col);
-- name: section 4.3, nested: the same rule at the inner struct; a new inner struct is taken as it is
MERGE WITH SCHEMA EVOLUTION INTO e t USING (SELECT * FROM VALUES
  (1, named_struct('n', NULL, 'only', named_struct('q', 1))), (2, named_struct('n', named_struct('y', 'sy', 'x', 'sx'), 'only', NULL)),
  (3, named_struct('n', NULL, 'only', NULL)) AS v(key, col)) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM e;

CREATE TABLE f AS SELECT 1 AS key, array(named_struct('y', 1, 'z', 2)) AS list, map('k', named_struct('y', 1, 'z', 2)) AS m;
-- name: section 4.3, arrays and maps: NULL elements stay NULL
MERGE WITH SCHEMA EVOLUTION INTO f t
USING (SELECT 1 AS key, array(named_struct('x', 5, 'y', 6), NULL) AS list, map('k', NULL, 'j', named_struct('x', 7, 'y', 8)) AS m) s
ON t.key = s.key WHEN MATCHED THEN UPDATE SET *;
SELECT * FROM f;
