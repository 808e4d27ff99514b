-- Two loads at once: no file is loaded twice, and none is lost.
-- log: off

INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/one' USING csv SELECT 1;
INSERT OVERWRITE DIRECTORY '${WAREHOUSE}/in/two' USING csv SELECT 2;
CREATE TABLE t (a INT);

-- session: A
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV;
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/one' FILEFORMAT = CSV;

-- session: B
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/two' FILEFORMAT = CSV;

-- session: C
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/*' FILEFORMAT = CSV;
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/*' FILEFORMAT = CSV;

-- session: D
COPY INTO t BY POSITION FROM '${WAREHOUSE}/in/*' FILEFORMAT = CSV COPY_OPTIONS ('force' = 'true');

-- check:
SELECT a, count(*) AS rows FROM t GROUP BY a ORDER BY a;

-- name: the same files, and what the second one finds when it is run again
-- schedule: begin A, begin C, commit A, commit C, begin C, commit C
-- name: three at once
-- schedule: begin A, begin B, begin C, commit B, commit A, commit C, begin C, commit C
-- name: a load that is forced
-- schedule: begin A, begin D, commit A, commit D, begin C, commit C
-- name: a crash between the note and the commit
-- schedule: begin A, crash A, begin C, commit C, begin A, commit A
-- name: an answer that is lost, and one that another load takes the version from
-- schedule: begin A, begin B, commit A unanswered, commit B unsent, begin C, commit C
