#if Postgres
  extension Schema {
    /// The functions that applications call. Each runs with the rights of the schema's owner, so that a role needs
    /// `USAGE` of the schema, and no right to any table.
    static let enqueueCalls = """
      -- Keeps a large body in tables of its own, and returns its name.
      CREATE FUNCTION errand.keep_body(body bytea) RETURNS text LANGUAGE plpgsql AS $$
      DECLARE
        key text := left(replace(gen_random_uuid()::text, '-', ''), 16);
        name text := encode(sha256(body), 'hex') || '.' || key;
        length integer := octet_length(body);
      BEGIN
        INSERT INTO errand.blobs VALUES (
          key, name, length, '-infinity', CASE WHEN length <= 1048576 THEN body END);
        IF length > 1048576 THEN
          INSERT INTO errand.pieces SELECT key, n, substring(body FROM n * 1048576 + 1 FOR 1048576)
            FROM generate_series(0, (length - 1) / 1048576) n;
        END IF;
        RETURN name;
      END $$;

      CREATE FUNCTION errand.enqueue_bytes(
        method text, url text, headers jsonb, body bytea, body_type text, lane text, key text, priority text,
        expires interval, id text, holds_lane boolean, options jsonb
      ) RETURNS text LANGUAGE plpgsql SECURITY DEFINER \(pinned) AS $$
      DECLARE
        fields record;
        name text;
        content bytea;
        length bigint := coalesce(octet_length(body), 0);
        kind text := CASE WHEN body IS NULL THEN 'none' ELSE 'bytes' END;
        rank bigint := array_position(ARRAY['background', 'utility', 'default', 'userInitiated'], priority) - 1;
        parts text[];
      BEGIN
        PERFORM errand.check_url(method, url);
        fields := errand.pack_fields(headers);
        IF fields.given_key IS NOT NULL AND key IS NOT NULL THEN
          PERFORM errand.object('it has a key, and the header field Idempotency-Key');
        END IF;
        IF key ~ '[\\x01-\\x1f\\x7f]' THEN PERFORM errand.object('its key contains a control character'); END IF;
        IF rank IS NULL THEN
          PERFORM errand.object('its priority is none of background, utility, default and userInitiated');
        END IF;
        IF octet_length(lane) > 200 OR octet_length(id) > 200 THEN
          PERFORM errand.object('its lane or its id has more than 200 bytes');
        END IF;
        -- Such a transaction does not see what was delivered since it began.
        IF id IS NOT NULL AND current_setting('transaction_isolation') <> 'read committed' THEN
          PERFORM errand.object('it has an id, and its transaction is not READ COMMITTED, so it cannot see whether that '
            'was delivered in the meantime; enqueue it in READ COMMITTED, or without an id');
        END IF;
        IF expires < interval '0' THEN PERFORM errand.object('it expires before it is stored'); END IF;
        id := coalesce(id, gen_random_uuid()::text);
        IF fields.given_key IS NULL THEN
          key := coalesce(key, gen_random_uuid()::text);
          fields.packed := fields.packed || errand.packed('Idempotency-Key')
            || errand.packed('"' || regexp_replace(key, '(["\\\\])', '\\\\\\1', 'g') || '"');
          fields.count := fields.count + 1;
        ELSE
          key := regexp_replace(regexp_replace(fields.given_key, '^"(.*)"$', '\\1'), '\\\\(.)', '\\1', 'g');
        END IF;
        IF length > 65536 THEN name := errand.keep_body(body); END IF;
        -- As `StoredRequest` reads it.
        content := '\\x0101' || errand.packed(method) || errand.packed(url) || errand.leb(fields.count) || fields.packed
          || errand.packed(kind)
          || CASE WHEN body IS NULL OR body_type IS NULL THEN '\\x00' ELSE '\\x01' || errand.packed(body_type) END
          || CASE WHEN body IS NULL THEN '\\x00'
            ELSE '\\x01' || errand.packed(coalesce(name, '')) || errand.leb(length) END
          || errand.packed(coalesce(options::text, ''))
          || CASE WHEN body IS NULL OR name IS NOT NULL THEN '' ELSE body END;
        -- As `RequestSummary` reads it.
        parts := regexp_match(url, '^([^:]+)://([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(?:[/?#]|$)');
        PERFORM errand.add(
          NULL, NULL, NULL, NULL, 0, true, ARRAY[replace(id, '\\', '\\\\')], ARRAY[NULL::text],
          ARRAY[replace(lane, '\\', '\\\\')], ARRAY[NULL::text], ARRAY[holds_lane::integer::bigint], ARRAY[rank],
          ARRAY[(extract(epoch FROM expires) * 1000)::bigint], ARRAY[NULL::bigint],
          ARRAY['\\x0101' || errand.packed(method) || errand.packed(url) || errand.packed(key) || errand.packed(kind)
            || errand.leb(length)],
          ARRAY[content], ARRAY[octet_length(content) + CASE WHEN name IS NULL THEN 0 ELSE length END],
          ARRAY[coalesce(lower(parts[1] COLLATE "C") || '://' || lower(parts[2] COLLATE "C") || ':'
            || coalesce(parts[3], CASE lower(parts[1] COLLATE "C") WHEN 'https' THEN '443' ELSE '80' END), '')],
          CASE WHEN name IS NULL THEN '{}' ELSE ARRAY[name] END, CASE WHEN name IS NULL THEN '{}' ELSE ARRAY[1::bigint] END);
        RETURN id;
      END $$;

      \(call(body: "text", type: "'text/plain; charset=utf-8'", bytes: "convert_to(body, 'UTF8')", isOptional: true))
      \(call(body: "bytea", type: "'application/octet-stream'", bytes: "body", isOptional: false))
      \(call(body: "jsonb", type: "'application/json'", bytes: "convert_to(body::text, 'UTF8')", isOptional: false))
      """

    /// One of the functions `enqueue`, which differ in the type of the body. Only one of them can be called
    /// without a body.
    private static func call(body: String, type: String, bytes: String, isOptional: Bool) -> String {
      let first =
        isOptional
        ? "headers jsonb DEFAULT NULL, body text DEFAULT NULL" : "body \(body), headers jsonb DEFAULT NULL"
      return """
        CREATE FUNCTION errand.enqueue(
          method text, url text, \(first), lane text DEFAULT NULL, key text DEFAULT NULL,
          priority text DEFAULT 'default', expires interval DEFAULT NULL, id text DEFAULT NULL,
          holds_lane boolean DEFAULT false, options jsonb DEFAULT NULL
        ) RETURNS text LANGUAGE sql VOLATILE AS $$
          SELECT errand.enqueue_bytes(method, url, headers, \(bytes), \(type), lane, key, priority, expires, id,
            holds_lane, options)
        $$;
        """
    }
  }
#endif
