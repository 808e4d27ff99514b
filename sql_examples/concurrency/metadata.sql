-- A change of schema or properties fails every statement that began before it, at either level.
-- Faults, too: a process that dies, a put that times out, a race that is lost between the last look and the put.
-- expect: no jvm
-- levels: WriteSerializable, Serializable
-- log: off

CREATE TABLE t (id INT) TBLPROPERTIES ('delta.isolationLevel' = '${LEVEL}');

-- session: A
ALTER TABLE t SET TBLPROPERTIES ('a' = '1');

-- session: B
ALTER TABLE t SET TBLPROPERTIES ('b' = '2');

-- check:
SHOW TBLPROPERTIES t;

-- schedule: all
-- name: A dies with its work done
-- schedule: begin A, begin B, crash A, commit B
-- name: the answer to the put is lost, the commit is there
-- schedule: begin A, begin B, commit A unanswered, commit B
-- name: the put is lost and sent again
-- schedule: begin A, commit A unsent
-- name: B commits just before the put of A
-- schedule: begin A, begin B, commit A behind B
-- name: A gives up
-- schedule: begin A, begin B, abort A, commit B
