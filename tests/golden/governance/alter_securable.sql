-- Groups, and wrong statements on securables.
-- expect: no jvm
-- log: off

SET deltasql.governance = RECORD;
CREATE CONNECTION c TYPE mysql;

-- name: groups
CREATE GROUP g WITH USER `ann@example.com`, bob;
CREATE GROUP h WITH GROUP g;
ALTER GROUP g ADD USER carl;
ALTER GROUP g DROP USER bob;
-- mask: /Created At \| .*/
DESCRIBE GROUP g;
SHOW GROUPS;
SHOW GROUPS WITH USER carl;
SHOW GROUPS WITH GROUP g;
DROP GROUP h;
SHOW GROUPS LIKE 'g*';
