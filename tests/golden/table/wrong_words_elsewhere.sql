-- expect: no jvm
-- log: off

-- name: words of other dialects
RENAME TABLE orders TO old_orders;
