-- expect: no jvm

CREATE TABLE t (id INT);
-- name: plain
COMMENT ON TABLE t IS 'it''s the table';
-- name: lower case, double quotes
comment on table `T` is "other";
-- name: NULL takes it away
COMMENT ON TABLE t IS NULL;
-- name: wrong, no such table
COMMENT ON TABLE missing IS 'x';
-- name: wrong, no string
COMMENT ON TABLE t IS x;
