-- Rows as they arrive. The tables of ${source} are filled by somebody else.
CREATE OR REFRESH STREAMING TABLE bronze_customers COMMENT 'changes of customers'
AS SELECT * FROM STREAM(${source}.customer_changes);

CREATE OR REFRESH STREAMING TABLE bronze_trades COMMENT 'trades, also wrong ones'
AS SELECT * FROM STREAM(${source}.trades);
