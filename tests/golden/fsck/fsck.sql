-- expect: no jvm

CREATE TABLE t (a INT);
-- name: nothing is missing
FSCK REPAIR TABLE t;
-- name: lower case, all words
fsck repair table `t` metadata only -- no file is opened
  dry run;
EXPLAIN FSCK REPAIR TABLE t;
