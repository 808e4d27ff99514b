-- expect: no jvm
-- log: off

CREATE TABLE t (k INT, at TIMESTAMP);
-- name: a name, as literals of timestamps are read
SET TIME ZONE 'America/Los_Angeles';
INSERT INTO t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
SELECT k FROM t WHERE at = TIMESTAMP '2024-01-01 08:00:00+00:00';
SET spark.sql.session.timeZone;
-- name: upper and lower case, comments, quotes
set /* the */ time Zone "Asia/Tokyo" -- zone
;
SET spark.sql.session.timeZone;
-- name: intervals
SET TIME ZONE INTERVAL 3 HOURS;
SET TIME ZONE INTERVAL '1:30' HOUR TO MINUTE;
SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE;
SET TIME ZONE INTERVAL '1:30:15' HOUR TO SECOND;
SET TIME ZONE INTERVAL '0 10:15' DAY TO MINUTE;
SET TIME ZONE INTERVAL 1 HOUR 30 MINUTES;
SET TIME ZONE INTERVAL -2 HOURS 30 MINUTES;
SET TIME ZONE INTERVAL '-1 hour 30 minutes';
SET TIME ZONE INTERVAL -'5' HOUR;
SET TIME ZONE INTERVAL '90' MINUTE;
SET TIME ZONE INTERVAL 0 HOURS;
-- name: offsets and abbreviations
SET TIME ZONE '-08:00';
INSERT INTO t VALUES (2, TIMESTAMP '2024-01-01 00:00:00');
SELECT k FROM t WHERE at = TIMESTAMP '2024-01-01 08:00:00+00:00' ORDER BY k;
SET TIME ZONE 'GMT+8:30';
SET TIME ZONE 'PST';
SET TIME ZONE 'Z';
-- name: of the machine
SET TIME ZONE LOCAL;
set time zone local;
-- name: the other statements see it
SET TIME ZONE 'UTC';
RESET spark.sql.session.timeZone;
SET spark.sql.session.timeZone = Europe/Paris;
-- name: a refused zone leaves the one before
SET spark.sql.session.timeZone;
