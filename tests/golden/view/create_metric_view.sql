-- log: off

CREATE TABLE orders (id INT, customer_id INT, day DATE, status STRING, amount DECIMAL(10, 2));
CREATE TABLE customers (id INT, name STRING, nation_id INT);
CREATE TABLE nations (id INT, name STRING);
INSERT INTO orders VALUES (1, 1, '2024-01-05', 'open', 10), (2, 1, '2024-01-20', 'done', 20), (3, 2, '2024-02-01', 'done', 30), (4, 9, '2024-02-03', 'void', 99);
INSERT INTO customers VALUES (1, 'Ada', 10), (2, 'Ben', 20);
INSERT INTO nations VALUES (10, 'UK'), (20, 'FR');
-- name: dimensions, measures, a filter
CREATE OR REPLACE VIEW sales WITH METRICS LANGUAGE YAML COMMENT 'of the shop' TBLPROPERTIES ('team' = 'x') AS $$
version: 0.1
source: orders
filter: status <> 'void'
dimensions:
  - name: month
    expr: date_trunc('MONTH', day)
  - name: status
    expr: status
    comment: of the order
  - name: Upper Status
    expr: upper(`status`)
measures:
  - name: orders
    expr: COUNT(*)
  - name: Total Revenue
    expr: SUM(amount)
  - name: open revenue
    expr: SUM(amount) FILTER (WHERE status = 'open')
  - name: average
    expr: MEASURE(`Total Revenue`) / MEASURE(orders)
$$;
SELECT month, MEASURE(orders) AS n, MEASURE(`Total Revenue`) AS total FROM sales GROUP BY month ORDER BY month;
SELECT `Upper Status`, measure(average), Measure(`open revenue`) FROM sales GROUP BY ALL ORDER BY 1;
SELECT MEASURE(s.orders) AS n FROM sales AS s WHERE s.status = 'done' AND month < DATE'2024-02-01';
SELECT status, MEASURE(sales.`Total Revenue`) AS total FROM default.sales GROUP BY status HAVING MEASURE(`Total Revenue`) > 15 ORDER BY MEASURE(orders);
SELECT * FROM sales ORDER BY ALL;
SELECT DISTINCT `Upper Status` FROM sales ORDER BY 1;
-- name: joins, nested ones, a query as source
CREATE VIEW star WITH METRICS LANGUAGE YAML AS $$
  version: "1.1"
  comment: a star
  source: SELECT * FROM orders WHERE amount < 50
  joins:
    - name: customer
      source: customers
      on: source.customer_id = customer.id
      joins:
        - name: nation
          source: nations
          on: customer.nation_id = nation.id
  dimensions:
    - {name: customer, expr: customer.name, display_name: Customer, synonyms: [client]}
    - {name: nation, expr: customer.nation.name}
    - {name: label, expr: "concat(nation, '/', customer)"}
  measures:
    - {name: revenue, expr: sum(source.amount), format: {type: number}}
    - {name: customers, expr: count(DISTINCT customer.name)}
$$;
SELECT nation, label, MEASURE(revenue) FROM star GROUP BY nation, label ORDER BY nation;
CREATE VIEW using_one WITH METRICS LANGUAGE YAML AS $$
version: 1.0
source: default.customers
joins: [{name: o, source: "(SELECT id, amount AS paid FROM orders)", using: [id]}]
dimensions: [{name: name, expr: name}]
measures: [{name: paid, expr: max(o.paid) + 0}]
$$;
SELECT name, MEASURE(paid) AS p FROM using_one GROUP BY name ORDER BY name;
-- name: in views, CTEs, sub-queries, joins and changes
CREATE VIEW monthly AS SELECT month, MEASURE(`Total Revenue`) AS total FROM sales GROUP BY month;
SELECT * FROM monthly ORDER BY month;
WITH q AS (SELECT status, MEASURE(orders) AS n FROM sales GROUP BY status) SELECT sum(n) AS n FROM q;
SELECT a.status, MEASURE(a.orders) AS n, MEASURE(b.revenue) AS r FROM sales a CROSS JOIN star b GROUP BY a.status ORDER BY 1;
CREATE TABLE kept AS SELECT month, MEASURE(orders) AS n FROM sales GROUP BY month;
SELECT * FROM kept ORDER BY month;
-- name: what is told of them
DESCRIBE TABLE sales;
SHOW CREATE TABLE using_one;
SELECT table_name, table_type, comment FROM information_schema.tables WHERE table_name IN ('sales', 'monthly') ORDER BY table_name;
-- name: changed
ALTER VIEW sales AS $$
version: 1.1
source: orders
dimensions: [{name: status, expr: status}]
measures: [{name: most, expr: max(amount)}]
$$;
SELECT status, MEASURE(most) AS most FROM sales GROUP BY status ORDER BY status;
SHOW TBLPROPERTIES sales;
-- name: fields in place of dimensions, a materialization, measures with a window
CREATE VIEW windows WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: orders
fields:
  - {name: day, expr: day}
  - {name: status, expr: status, synonyms: [state]}
measures:
  - {name: total, expr: SUM(amount)}
  - name: week
    expr: SUM(amount)
    window:
      - order: day
        range: trailing 7 day
        semiadditive: last
  - name: so far
    expr: SUM(amount)
    window: [{order: day, range: cumulative, semiadditive: last}]
  - {name: growth, expr: MEASURE(total) / MEASURE(week)}
materialization:
  schedule: every 6 hours
  mode: relaxed
  materialized_views:
    - {name: by_status, type: aggregated, dimensions: [status], measures: [total]}
$$;
DESCRIBE TABLE windows;
SELECT status, MEASURE(total) AS total FROM windows GROUP BY status ORDER BY status;
SELECT day, MEASURE(week) AS week, MEASURE(growth) AS growth FROM windows GROUP BY day ORDER BY day;
-- name: wrong in queries
SELECT MEASURE(nope) FROM sales;
SELECT MEASURE(mst) FROM sales;
SELECT most FROM sales;
SELECT MEASURE(a) FROM orders;
INSERT INTO sales VALUES (1);
SELECT * FROM sales VERSION AS OF 1;
-- name: wrong expressions
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: orders
dimensions: [{name: a, expr: nope}]
$$;
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: no_such_table
dimensions: [{name: a, expr: id}]
$$;
DROP VIEW star;
