-- The user of a session and its groups: current_user(), is_member() and the like.
-- expect: no jvm
-- log: off

CREATE TABLE t (id INT, owner STRING);
-- name: a user
SET deltasql.user = ann@example.com;
INSERT INTO t VALUES (1, current_user()), (2, session_user()), (3, user()), (4, 'bob');
SELECT * FROM t;
SELECT id FROM t WHERE owner <> CURRENT_USER ( );
SELECT id FROM t WHERE system.builtin.current_user() = owner AND id < 3;
-- name: another user
SET deltasql.user = bob;
SELECT id FROM t WHERE owner = session_user();

-- name: no groups
SELECT id FROM t WHERE is_member('admins') OR is_account_group_member("analysts");
-- name: groups
SET deltasql.groups = admins, data team;
SELECT id FROM t WHERE is_member('admins') AND id > 2;
SELECT id FROM t WHERE is_account_group_member('data team') AND id < 2;
SELECT id FROM t WHERE is_member('Admins');
SELECT id FROM t WHERE NOT is_member('data' /* two words */) AND id = 1;
-- name: names of columns and texts stay
SELECT owner AS `current_user()` FROM t WHERE owner = 'is_member(''admins'')';
