SET track_functions = 'all';
SELECT pg_backend_pid() AS pid \gset
\i enqueue-many.sql
\i enqueue-many.sql
SELECT pg_stat_reset() \g /dev/null
\setenv PID :pid
\! cat /proc/$PID/schedstat > /tmp/pgb/s1; true
\! cat /proc/$PID/schedstat > /tmp/pgb/s2; true
SELECT pg_sleep(1.2) \g /dev/null
SELECT funcname, calls, round(total_time::numeric/5,2) AS us_each, round(self_time::numeric/5,2) self_us FROM pg_stat_user_functions ORDER BY self_time DESC LIMIT 14;
