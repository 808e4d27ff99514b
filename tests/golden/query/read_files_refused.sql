-- expect: no jvm
CREATE TABLE t (id INT);
SELECT * FROM read_files();
SELECT * FROM read_files('${WAREHOUSE}/in', header => true, HEADER => false);
SELECT * FROM read_files('${WAREHOUSE}/*/_delta_log/*.json', format => 'csv', schema => ' ');
SELECT * FROM read_files('${WAREHOUSE}/missing');
SELECT * FROM read_files('${WAREHOUSE}', 'csv');
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv');
SELECT * FROM read_files('${WAREHOUSE}/t');
SELECT * FROM read_files('${WAREHOUSE}/_catalog.db', format => 'excel');
SELECT * FROM read_files('${WAREHOUSE}/*/_delta_log/*.json', format => 'csv', haeder => true);
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv', schema => 'id INTT');
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv', schema => 'id INT', schemaHints => 'id');
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv', schema => 'id INT', schemaEvolutionMode => 'sometimes');
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv', schema => 'id INT', recursiveFileLookup => 'yes');
SELECT * FROM read_files('${WAREHOUSE}/none*', format => 'csv', schema => 'id INT', modifiedAfter => 'then');
SELECT * FROM read_files('${WAREHOUSE}/[', format => 'csv');
INSERT INTO t SELECT * FROM read_files('${WAREHOUSE}/none*', format => );
SELECT * FROM t;
