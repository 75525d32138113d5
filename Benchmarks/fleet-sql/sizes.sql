-- The tables and indexes of the outbox that do not grow with the delivered rows.
SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'errand' AND c.relkind IN ('r', 'i') AND c.relname NOT LIKE 'history%' AND pg_relation_size(c.oid) > 0
ORDER BY c.relname;
