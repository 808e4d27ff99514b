-- Clauses of credentials, locations and recipients that only an account of a cloud understands are recorded.
-- expect: no jvm
-- log: off
SET deltasql.governance = RECORD;
-- name: credentials
CREATE STORAGE CREDENTIAL azure WITH AZURE_MANAGED_IDENTITY (ACCESS_CONNECTOR_ID = '/subscriptions/1') COMMENT 'x';
create storage credential if not exists `aws` with (aws_iam_role = 'arn:aws:iam::1:role/r');
CREATE CREDENTIAL role1 WITH AWS_IAM_ROLE 'arn' COMMENT 'bare';
CREATE SERVICE CREDENTIAL svc AZURE_SERVICE_PRINCIPAL (DIRECTORY_ID = 'd', APPLICATION_ID 'a', CLIENT_SECRET = 'hush');
-- mask: /Created At \| .*/
DESCRIBE STORAGE CREDENTIAL azure;
-- mask: /Created At \| .*/
DESCRIBE CREDENTIAL aws;
-- mask: /Created At \| .*/
DESCRIBE SERVICE CREDENTIAL svc;
-- name: locations
CREATE EXTERNAL LOCATION l URL 's3://b/p' WITH (STORAGE CREDENTIAL `aws`, READ ONLY) COMMENT 'y';
CREATE EXTERNAL LOCATION m WITH (URL 's3://b/q', STORAGE CREDENTIAL aws);
CREATE EXTERNAL LOCATION n URL 's3://b/r' STORAGE CREDENTIAL aws;
-- mask: /Created At \| .*/
DESCRIBE EXTERNAL LOCATION l;
-- mask: /Created At \| .*/
DESCRIBE EXTERNAL LOCATION m;
-- name: recipients and shares
CREATE RECIPIENT r USING ID 'aws:eu:1' IP_ACCESS_LIST ('10.0.0.1', '10.0.0.2') PROPERTIES ('a' = 'b');
CREATE RECIPIENT q WITH (IP_ACCESS_LIST = ('10.0.0.1'));
-- mask: /Created At \| .*/
DESCRIBE RECIPIENT r;
CREATE TABLE t (id INT);
CREATE TABLE u (id INT);
CREATE SHARE s;
ALTER SHARE s ADD TABLES t, u;
ALTER SHARE s ALTER TABLE t PARTITION (id = 1);
SHOW ALL IN SHARE s;
-- name: wrong
CREATE STORAGE CREDENTIAL x WITH AWS_IAM_ROLE;
CREATE EXTERNAL LOCATION x URL 's3://b' WITH STORAGE CREDENTIAL c, d;
CREATE SHARE x WITH AWS_IAM_ROLE 'arn';
ALTER SHARE s ADD TABLES;
