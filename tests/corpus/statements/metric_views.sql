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
CREATE OR REPLACE VIEW `shop`.`_metrics`.`active_users` WITH METRICS LANGUAGE YAML AS $$
  version: 1.1
  comment: "Users of the last days"
  source: "`shop`.`web`.`visits`"
  fields:
    - name: "Visit Date"
      expr: visit_date
      synonyms: ["day", "date of the visit"]
  measures:
    - name: Trailing Users
      expr: COUNT(DISTINCT user_id)
      window:
        - order: Visit Date
          range: trailing 30 day
          semiadditive: last
    - name: Change
      expr: MEASURE(`Trailing Users`) / COUNT(*)
  materialization:
    schedule: every 1 day
    mode: relaxed
$$;
