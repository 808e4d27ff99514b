-- Measures of metric views that have a window.
-- log: off

CREATE TABLE sales (id INT, day DATE, shop STRING, buyer STRING, amount DECIMAL(10, 2));
INSERT INTO sales VALUES (1, '2024-01-01', 'N', 'Ada', 10), (2, '2024-01-01', 'S', 'Ben', 5), (3, '2024-01-03', 'N', 'Ada', 20), (4, '2024-01-03', 'N', 'Cem', 1), (5, '2024-01-31', 'S', 'Ben', 7), (6, '2024-02-01', 'N', 'Dee', 30), (7, '2024-02-02', 'S', 'Ada', 2), (8, '2025-01-01', 'N', 'Ben', 4);
CREATE VIEW m WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions:
  - {name: day, expr: day}
  - {name: month, expr: "date_trunc('MONTH', day)"}
  - {name: year, expr: "year(day)"}
  - {name: shop, expr: shop}
measures:
  - {name: total, expr: SUM(amount)}
  - name: previous day
    expr: SUM(amount)
    window: [{order: day, range: trailing 1 day, semiadditive: last}]
  - name: today
    expr: SUM(amount)
    window: [{order: day, range: current, semiadditive: last}]
  - name: three days
    expr: SUM(amount)
    window: [{order: day, range: trailing 3 days inclusive, semiadditive: last}]
  - name: next buyers
    expr: COUNT(DISTINCT buyer)
    window: [{order: day, range: leading 2 day, semiadditive: last}]
  - name: these buyers
    expr: COUNT(DISTINCT buyer)
    window: [{order: day, range: leading 2 day inclusive, semiadditive: last}]
  - name: so far
    expr: SUM(amount)
    window: [{order: day, range: cumulative, semiadditive: last}]
  - name: so far at first
    expr: SUM(amount)
    window: [{order: day, range: cumulative, semiadditive: first}]
  - name: year to date
    expr: SUM(amount)
    window:
      - {order: day, range: cumulative, semiadditive: last}
      - {order: year, range: current, semiadditive: last}
  - name: month before
    expr: MEASURE(total)
    window: [{order: month, range: current, offset: -1 month, semiadditive: last}]
  - name: all shops
    expr: MEASURE(total)
    window: [{order: shop, range: all, semiadditive: last}]
  - {name: growth, expr: "MEASURE(today) - coalesce(MEASURE(`previous day`), 0)"}
  - {name: share, expr: "round(MEASURE(total) / MEASURE(`all shops`), 2)"}
$$;
-- name: by the order
SELECT day, MEASURE(total) AS total, MEASURE(`previous day`) AS previous, MEASURE(`three days`) AS three, MEASURE(`so far`) AS so_far, MEASURE(`year to date`) AS ytd FROM m GROUP BY day ORDER BY day;
SELECT day, MEASURE(`next buyers`) AS next, MEASURE(`these buyers`) AS these FROM m GROUP BY ALL ORDER BY 1;
SELECT day, MEASURE(growth) FROM m GROUP BY 1 ORDER BY day;
-- name: by the order and another dimension
SELECT day, shop, MEASURE(`so far`) AS so_far, MEASURE(`previous day`) AS previous FROM m GROUP BY day, shop ORDER BY day, shop;
-- name: the order is no key: the last or first value of a group
SELECT month, MEASURE(total) AS total, MEASURE(today) AS today, MEASURE(`so far`) AS so_far, MEASURE(`so far at first`) AS first, MEASURE(`year to date`) AS ytd FROM m GROUP BY month ORDER BY month;
SELECT shop, MEASURE(today) AS today FROM m GROUP BY shop ORDER BY shop;
SELECT MEASURE(today) AS today, MEASURE(`next buyers`) AS next FROM m;
SELECT year(day) AS y, MEASURE(`so far`) AS so_far, count(*) AS n FROM m GROUP BY y ORDER BY y;
-- name: an offset, and a share of all
SELECT month, MEASURE(total) AS total, MEASURE(`month before`) AS before FROM m GROUP BY month ORDER BY month;
SELECT shop, MEASURE(total) AS total, MEASURE(`all shops`) AS everywhere, MEASURE(share) AS share FROM m GROUP BY shop ORDER BY shop;
-- name: conditions on the order choose groups, others rows
SELECT day, MEASURE(`so far`) AS so_far, MEASURE(`previous day`) AS previous FROM m WHERE day >= DATE'2024-02-01' AND shop IN ('N', 'S') GROUP BY day ORDER BY day;
SELECT v.day, MEASURE(v.`so far`) AS so_far FROM default.m AS v WHERE v.shop = 'S' GROUP BY v.day HAVING MEASURE(`so far`) > 5 ORDER BY MEASURE(v.`so far`) DESC;
SELECT shop, MEASURE(`all shops`) AS everywhere FROM m WHERE shop = 'N' GROUP BY shop;
-- name: within views, CTEs and INSERT
CREATE VIEW daily AS SELECT day, MEASURE(`so far`) AS so_far FROM m GROUP BY day;
SELECT * FROM daily WHERE so_far > 70 ORDER BY day;
WITH q AS (SELECT month, MEASURE(today) AS today FROM m GROUP BY month) SELECT sum(today) AS s FROM q;
-- name: nothing there
SELECT MEASURE(`so far`) AS so_far FROM m WHERE day > DATE'2030-01-01';
-- name: wrong in queries
SELECT a.day, MEASURE(a.`so far`) FROM m a JOIN sales s ON a.day = s.day GROUP BY a.day;
SELECT day, shop, MEASURE(`so far`) FROM m GROUP BY CUBE (day, shop);
SELECT day, MEASURE(`so far`) FROM m WHERE day IN (SELECT day FROM sales) GROUP BY day;
-- name: wrong definitions
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions: [{name: day, expr: day}]
measures: [{name: w, expr: sum(amount), window: [{order: date, range: current, semiadditive: last}]}]
$$;
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions: [{name: day, expr: day}]
measures: [{name: w, expr: sum(amount), window: [{order: day, range: trailing week, semiadditive: last}]}]
$$;
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions: [{name: day, expr: day}]
measures: [{name: w, expr: sum(amount), window: [{order: day, range: current, semiadditive: middle}]}]
$$;
CREATE VIEW wrong WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions: [{name: day, expr: day}]
measures: [{name: w, expr: sum(amount), window: [{order: day, range: current, offset: a month, semiadditive: last}]}]
$$;
CREATE VIEW twice WITH METRICS LANGUAGE YAML AS $$
version: 1.1
source: sales
dimensions: [{name: day, expr: day}]
measures:
  - {name: w, expr: sum(amount), window: [{order: day, range: current, semiadditive: last}]}
  - {name: x, expr: MEASURE(w), window: [{order: day, range: cumulative, semiadditive: last}]}
$$;
SELECT day, MEASURE(x) FROM twice GROUP BY day;
