-- expect: no jvm

CREATE TABLE t (a INT);
-- name: nothing is missing
FSCK REPAIR TABLE t;
-- name: lower case, all words
fsck repair table `t` metadata only -- no file is opened
  dry run;
EXPLAIN FSCK REPAIR TABLE t;
-- name: wrong, no such table
FSCK REPAIR TABLE nope;
-- name: wrong, a version
FSCK REPAIR TABLE t@v0;
-- name: wrong, files are not opened
FSCK REPAIR TABLE t VERIFY ALL FILES;
