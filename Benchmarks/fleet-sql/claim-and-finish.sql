WITH ready AS (
  SELECT id FROM reference.requests WHERE state = 0 ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED)
UPDATE reference.requests r SET state = 1, owner = :client_id, lease_end = now() + interval '1 minute'
  FROM ready WHERE r.id = ready.id RETURNING r.id, r.name, r.summary, r.content;
UPDATE reference.requests
  SET state = 2, owner = NULL, lease_end = NULL, content = NULL, response = convert_to(repeat('z', 50), 'UTF8')
  WHERE owner = :client_id AND state = 1;
