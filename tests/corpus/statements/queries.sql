SELECT * FROM t VERSION AS OF 3 WHERE a = 1 EXCEPT ALL SELECT * FROM t VERSION AS OF 2;
SELECT sku_name, sum(usage_quantity) AS dbus FROM system.billing.usage WHERE usage_date > current_date() - INTERVAL 30 DAYS GROUP BY ALL;
CREATE OR REPLACE VIEW costs AS SELECT u.workspace_id, u.usage_quantity * p.pricing.default AS cost FROM system.billing.usage u LEFT JOIN system.billing.list_prices p ON u.sku_name = p.sku_name AND u.usage_start_time BETWEEN p.price_start_time AND coalesce(p.price_end_time, now());
SELECT event_time, user_identity.email, request_params.full_name_arg FROM system.access.audit WHERE action_name IN ('getTable', 'createTable');
