-- SHOW USERS and SHOW GROUPS: the session's user and groups, and those that are recorded.
-- expect: no jvm
-- log: off

-- name: nobody is known
SHOW USERS;
SHOW GROUPS;

-- name: of the session
SET deltasql.user = ann@example.com;
SET deltasql.groups = Analysts,eu;
SHOW USERS;
SHOW GROUPS;
SHOW GROUPS WITH USER `ann@example.com`;
SHOW GROUPS WITH USER 'ANN@example.com';
SHOW GROUPS WITH USER bob;
SHOW GROUPS WITH GROUP eu;

-- name: recorded, direct and indirect members
CREATE GROUP europe WITH USER `bob@example.com` GROUP eu;
CREATE GROUP world WITH GROUP europe;
CREATE GROUP eu WITH USER carl;
ALTER GROUP eu ADD GROUP world;
SHOW USERS;
SHOW GROUPS;
SHOW GROUPS WITH USER `bob@example.com`;
SHOW GROUPS WITH USER `ann@example.com`;
SHOW GROUPS WITH USER carl;
SHOW GROUPS WITH GROUP eu;
SHOW GROUPS WITH GROUP missing;

-- name: patterns
SHOW USERS LIKE '*EXAMPLE*';
SHOW USERS 'carl|bob*';
show /* all */ users like 'nobody';
SHOW GROUPS LIKE 'e*';
SHOW GROUPS WITH USER carl 'eu|world';

-- name: a group of the same name as a user
CREATE GROUP carl WITH USER dora;
SHOW GROUPS WITH USER dora;
SHOW GROUPS WITH GROUP carl;

-- name: ignored
SET deltasql.governance = WARN;
SHOW USERS;
SHOW GROUPS;
