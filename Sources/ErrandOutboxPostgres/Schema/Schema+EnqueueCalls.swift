#if Postgres
  import ErrandCore

  extension Schema {
    /// The functions that applications call. Each runs with the rights of the schema's owner, so that a role
    /// needs only `USAGE` of the schema, and no right to a table.
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

      -- Checks a request, and puts it into the form in which it is stored. A large body is kept, under `file`.
      CREATE FUNCTION errand.prepare(
        method text, url text, headers jsonb, body bytea, body_type text, key text, options jsonb,
        OUT content bytea, OUT summary bytea, OUT size bigint, OUT origin text, OUT file text
      ) LANGUAGE plpgsql AS $$
      DECLARE
        fields record;
        length bigint := coalesce(octet_length(body), 0);
        kind text := CASE WHEN body IS NULL THEN 'none' ELSE 'bytes' END;
        head bigint;
        quoted text;
        authority text;
        host text;
        port text;
        is_secure boolean;
      BEGIN
        PERFORM errand.check_url(method, url);
        fields := errand.pack_fields(headers);
        IF fields.given_key IS NOT NULL AND key IS NOT NULL THEN
          PERFORM errand.object('it has a key, and the header field Idempotency-Key');
        END IF;
        IF key ~ '[\\x01-\\x1f\\x7f]' THEN PERFORM errand.object('its key contains a control character'); END IF;
        IF body_type ~ '[\\x01-\\x08\\x0a-\\x1f\\x7f]' THEN
          PERFORM errand.object('the type of its body contains a control character');
        END IF;
        IF options = 'null' THEN options := NULL; END IF;
        IF options IS NOT NULL THEN PERFORM errand.check_options(options); END IF;
        IF fields.given_key IS NULL THEN
          key := coalesce(key, gen_random_uuid()::text);
          quoted := '"' || replace(replace(key, '\\', '\\\\'), '"', '\\"') || '"';
          fields.packed := fields.packed || '\\x0f'::bytea || 'Idempotency-Key'::bytea || errand.packed(quoted);
          fields.count := fields.count + 1;
          fields.size := fields.size + octet_length(quoted) + 19;
        ELSE
          key := regexp_replace(regexp_replace(fields.given_key, '^"(.*)"$', '\\1'), '\\\\(.)', '\\1', 'g');
        END IF;
        head := octet_length(method) + octet_length(url) + fields.size
          + CASE WHEN body IS NULL OR fields.has_type THEN 0 ELSE coalesce(octet_length(body_type), 0) + 16 END;
        IF head > \(Request.headLimit) THEN
          PERFORM errand.object(format('its method, URL and header fields have %s bytes, and at most %s are sent',
            head, \(Request.headLimit)));
        END IF;
        IF length > 65536 THEN file := errand.keep_body(body); END IF;
        -- As `StoredRequest` reads it.
        content := '\\x0101' || errand.packed(method) || errand.packed(url) || errand.leb(fields.count) || fields.packed
          || errand.packed(kind)
          || CASE WHEN body IS NULL OR body_type IS NULL THEN '\\x00' ELSE '\\x01' || errand.packed(body_type) END
          || CASE WHEN body IS NULL THEN '\\x00'
            ELSE '\\x01' || errand.packed(coalesce(file, '')) || errand.leb(length) END
          || errand.packed(coalesce(options::text, ''))
          || CASE WHEN body IS NULL OR file IS NOT NULL THEN '' ELSE body END;
        size := octet_length(content) + CASE WHEN file IS NULL THEN 0 ELSE length END;
        -- As `RequestSummary` reads it.
        summary := '\\x0101' || errand.packed(method) || errand.packed(url) || errand.packed(key) || errand.packed(kind)
          || errand.leb(length);
        -- A host in another form than its own is left for a worker to read, and so is a key.
        authority := split_part(split_part(split_part(url, '/', 3), '?', 1), '#', 1);
        host := lower(split_part(authority, ':', 1) COLLATE "C");
        port := ltrim(split_part(authority, ':', 2), '0');
        is_secure := lower(left(url, 5) COLLATE "C") = 'https';
        IF options ->> 'key' IS NULL
          AND host COLLATE "C" !~ '[^a-z0-9.-]|(^|[.])xn--|(^|[.])(0x[0-9a-f]*|[0-9]+)[.]?$'
          AND (port <> '' OR strpos(authority, ':') = 0) THEN
          origin := CASE WHEN is_secure THEN 'https://' ELSE 'http://' END || host || ':'
            || CASE WHEN port <> '' THEN port WHEN is_secure THEN '443' ELSE '80' END;
        ELSE
          origin := '';
        END IF;
      END $$;

      -- Checks how a request is to be delivered, and returns the number of its priority.
      CREATE FUNCTION errand.check_delivery(priority text, lane text, id text, expires interval) RETURNS bigint
      LANGUAGE plpgsql AS $$
      DECLARE
        rank bigint := array_position(ARRAY['background', 'utility', 'default', 'userInitiated'], priority) - 1;
      BEGIN
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
        RETURN rank;
      END $$;

      CREATE FUNCTION errand.enqueue_bytes(
        method text, url text, headers jsonb, body bytea, body_type text, lane text, key text, priority text,
        expires interval, id text, holds_lane boolean, options jsonb
      ) RETURNS text LANGUAGE plpgsql SECURITY DEFINER \(pinned) AS $$
      DECLARE
        made record;
        rank bigint := errand.check_delivery(priority, lane, id, expires);
      BEGIN
        made := errand.prepare(method, url, headers, body, body_type, key, options);
        id := coalesce(id, gen_random_uuid()::text);
        PERFORM errand.add(
          NULL, NULL, NULL, NULL, 0, true, ARRAY[replace(id, '\\', '\\\\')], ARRAY[NULL::text],
          ARRAY[replace(lane, '\\', '\\\\')], ARRAY[NULL::text], ARRAY[coalesce(holds_lane, false)::integer::bigint],
          ARRAY[rank], ARRAY[(extract(epoch FROM expires) * 1000)::bigint], ARRAY[NULL::bigint], ARRAY[made.summary],
          ARRAY[made.content], ARRAY[made.size], ARRAY[made.origin],
          CASE WHEN made.file IS NULL THEN '{}' ELSE ARRAY[made.file] END,
          CASE WHEN made.file IS NULL THEN '{}' ELSE ARRAY[1::bigint] END);
        RETURN id;
      END $$;

      \(call(body: "text", type: "'text/plain; charset=utf-8'", bytes: "convert_to(body, 'UTF8')", isOptional: true))
      \(call(body: "bytea", type: "'application/octet-stream'", bytes: "body", isOptional: false))
      \(call(body: "jsonb", type: "'application/json'", bytes: "convert_to(body::text, 'UTF8')", isOptional: false))

      -- Enqueues many requests, all or none, in this order: an array of objects with the names of the parameters of
      -- `enqueue`. A body that is a JSON string is text; one of another type is sent as JSON. Returns their ids.
      CREATE FUNCTION errand.enqueue_many(requests jsonb) RETURNS text[]
      LANGUAGE plpgsql SECURITY DEFINER \(pinned) AS $$
      DECLARE
        q jsonb;
        made record;
        nth bigint := 0;
        ids text[] := '{}';
        keys text[] := '{}';
        lanes text[] := '{}';
        holding bigint[] := '{}';
        ranks bigint[] := '{}';
        lifetimes bigint[] := '{}';
        summaries bytea[] := '{}';
        contents bytea[] := '{}';
        sizes bigint[] := '{}';
        origins text[] := '{}';
        files text[] := '{}';
        file_rows bigint[] := '{}';
        id text;
        expires interval;
        problem text;
      BEGIN
        IF requests IS NULL OR jsonb_typeof(requests) <> 'array' THEN
          RAISE EXCEPTION 'the requests are no JSON array' USING ERRCODE = '22023';
        END IF;
        BEGIN
          FOR q IN SELECT e FROM jsonb_array_elements(requests) e LOOP
            nth := nth + 1;
            IF (CASE jsonb_typeof(q) WHEN 'object' THEN q - ARRAY['method', 'url', 'headers', 'body', 'lane', 'key',
              'priority', 'expires', 'id', 'holds_lane', 'options'] <> '{}' ELSE true END) THEN
              PERFORM errand.object('it is no object with the names of the parameters of enqueue');
            END IF;
            expires := q ->> 'expires';
            id := q ->> 'id';
            ranks := ranks || errand.check_delivery(coalesce(q ->> 'priority', 'default'), q ->> 'lane', id, expires);
            made := errand.prepare(q ->> 'method', q ->> 'url', q -> 'headers',
              convert_to(CASE jsonb_typeof(q -> 'body') WHEN 'string' THEN q ->> 'body' WHEN 'null' THEN NULL
                ELSE (q -> 'body')::text END, 'UTF8'),
              CASE jsonb_typeof(q -> 'body') WHEN 'string' THEN 'text/plain; charset=utf-8' ELSE 'application/json' END,
              q ->> 'key', q -> 'options');
            ids := ids || coalesce(id, gen_random_uuid()::text);
            lanes := lanes || replace(q ->> 'lane', '\\', '\\\\');
            holding := holding || coalesce((q ->> 'holds_lane')::boolean, false)::integer::bigint;
            lifetimes := lifetimes || (extract(epoch FROM expires) * 1000)::bigint;
            summaries := summaries || made.summary;
            contents := contents || made.content;
            sizes := sizes || made.size;
            origins := origins || made.origin;
            IF made.file IS NOT NULL THEN
              files := files || made.file;
              file_rows := file_rows || nth;
            END IF;
          END LOOP;
        EXCEPTION WHEN invalid_parameter_value THEN
          GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
          RAISE EXCEPTION 'request % of %: %', nth, jsonb_array_length(requests), problem USING ERRCODE = '22023';
        END;
        SELECT coalesce(array_agg(replace(u.id, '\\', '\\\\') ORDER BY u.number), '{}') INTO keys
          FROM unnest(ids) WITH ORDINALITY u(id, number);
        PERFORM errand.add(NULL, NULL, NULL, NULL, 0, true, keys, array_fill(NULL::text, ARRAY[nth::integer]), lanes,
          array_fill(NULL::text, ARRAY[nth::integer]), holding, ranks, lifetimes,
          array_fill(NULL::bigint, ARRAY[nth::integer]), summaries, contents, sizes, origins, files, file_rows);
        RETURN ids;
      END $$;
      """

    /// Returns one of the functions `enqueue`, which differ in the type of the body. Only one of them can be
    /// called without a body.
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
