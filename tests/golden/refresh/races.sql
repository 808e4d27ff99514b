-- Two refreshes at once: each new row of the source is taken once.
-- log: off

CREATE TABLE events (id INT);
INSERT INTO events VALUES (1);
CREATE STREAMING TABLE seen AS SELECT id FROM STREAM(events);
INSERT INTO events VALUES (2), (3);

-- session: A
REFRESH STREAMING TABLE seen;

-- session: B
REFRESH STREAMING TABLE seen;

-- check:
SELECT id FROM seen;

-- schedule: all
