CREATE VIEW m (a COMMENT 'x') WITH METRICS LANGUAGE YAML AS $$
version: 0.1
source: a.b.c
dimensions:
  - name: d
    expr: d
measures:
  - name: n
    expr: COUNT(1)
$$;
CREATE OR REPLACE VIEW m WITH METRICS LANGUAGE YAML COMMENT 'x' AS $$
version: 1.1
source: SELECT * FROM t
filter: a > 0
measures:
  - name: n
    expr: COUNT(1)
$$;
ALTER VIEW m AS $$
version: 0.1
source: t
measures:
  - name: n
    expr: COUNT(*)
$$;
SELECT d, MEASURE(n) FROM m GROUP BY ALL;
SELECT MEASURE(`Total Sales`) AS x FROM m;
