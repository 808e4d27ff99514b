-- COMMENT ON … IS 'a' 'b': strings that stand side by side are one.
-- expect: no jvm

CREATE TABLE t (id INT);
COMMENT ON TABLE t IS 'rows of ' "the shop"
  -- and
  ', by day';
COMMENT ON COLUMN t.id IS 'a' 'b';
COMMENT ON SCHEMA default IS 'one' ' two';
DESCRIBE t;
DESCRIBE SCHEMA default;
COMMENT ON TABLE t IS 'a' NULL;
