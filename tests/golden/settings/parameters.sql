-- Parameters of Databricks SQL: ANSI_MODE, TIMEZONE and others stand for settings of Spark.
-- expect: no jvm

SET ANSI_MODE = false;
SET spark.sql.ansi.enabled;
SET ansi_mode;
SET ansi_mode = True;
SET ansi_mode;
SET spark.sql.ansi.enabled = false;
SET ansi_mode;
SET TIMEZONE = 'Europe/Amsterdam';
SET spark.sql.session.timeZone;
SET timezone = Asia/Tokyo;
SET TIMEZONE;
SET TIMEZONE = Mars/Base;
SET ANSI_MODE = maybe;
SET STATEMENT_TIMEOUT = 60;
SET statement_timeout;
SET USE_CACHED_RESULT = true;
RESET TIMEZONE;
SET LEGACY_TIME_PARSER_POLICY = CORRECTED;
