-- The fact has the tier that the customer had at the time of the trade.
CREATE OR REFRESH MATERIALIZED VIEW fact_trade AS
SELECT t.trade_id, t.customer_id, c.tier, t.price * t.quantity AS amount, t.traded_at
FROM silver_trades t LEFT JOIN dim_customer c ON c.customer_id = t.customer_id
  AND t.traded_at >= c.__START_AT AND (c.__END_AT IS NULL OR t.traded_at < c.__END_AT);

CREATE OR REFRESH MATERIALIZED VIEW amounts_by_tier AS
SELECT tier, count(*) AS trades, sum(amount) AS amount FROM fact_trade GROUP BY tier;
