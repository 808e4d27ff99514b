-- Functions of IP addresses: the examples of Databricks.
-- log: off

SELECT ip_as_string('192.168.1.5/24') AS s, ip_as_string(X'20010DB8000000000000000000000001') AS six, hex(ip_as_binary('192.168.1.5/24')) AS b, ip_network_last('2001:db8::/32') AS last, ip_network_last('::ffff:192.0.2.0/120') AS mapped, hex(ip_network_last(X'C0A8016418')) AS bytes, ip_network_last(NULL) AS none, ip_cidr_contains('192.168.1.0/24', X'C0A80164') AS inside, ip_cidr_contains('192.168.1.0/24', '192.168.2.1') AS outside, typeof(ip_host(a)) AS kind, ip_network(ip_cidr(a || '/8')) AS network, ip_prefix_length(a || '/8') AS length, ip_version(a) AS version, try_ip_host('invalid') AS wrong FROM VALUES ('10.1.2.3') AS t(a);
-- name: what is wrong
SELECT ip_network_last('192.168.1.5');
SELECT ip_host(1, 2);
