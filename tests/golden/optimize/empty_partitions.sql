-- log: off
CREATE TABLE t (id INT, p INT) PARTITIONED BY (p);
-- name: no partition that an engine could judge
OPTIMIZE t WHERE pmod(p, 2) = 1;
