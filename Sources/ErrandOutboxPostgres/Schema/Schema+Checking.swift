#if Postgres
  extension Schema {
    /// The checks of a request that SQL enqueues: the same as in `Request.checkStorable`, and those of its
    /// options.
    static let checking = """
      -- Whether a text is a host, and perhaps a port.
      CREATE FUNCTION errand.is_authority(t text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
      DECLARE
        m text[] := regexp_match(t, '^(?:\\[([0-9A-Fa-f:.]+)(?:%25[A-Za-z0-9._~-]+)?\\]|([^]:[]+))(?::0*([0-9]*))?$');
      BEGIN
        IF m IS NULL OR length(m[3]) > 5 OR m[3] <> '' AND m[3]::integer > 65535 THEN RETURN false; END IF;
        IF m[2] IS NOT NULL THEN
          IF m[2] ~ '^[A-Za-z0-9.-]+$' AND m[2] !~ '--' THEN RETURN true; END IF;
          -- Percent-encoded are letters beyond ASCII, and what means the same without.
          RETURN m[2] COLLATE "C" ~* ('^(?:[a-z0-9._~!$&''()*+,;=-]|%[89a-f][0-9a-f]'
              '|%(?:2d|2e|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae]))+$')
            AND (m[2] COLLATE "C" !~* '(^|[.])xn--' OR octet_length(m[2]) < 255 AND m[2] !~ '[^.]{64}');
        END IF;
        IF m[1] !~ ':' THEN RETURN false; END IF;
        BEGIN
          PERFORM m[1]::inet;
        EXCEPTION WHEN invalid_text_representation THEN
          RETURN false;
        END;
        RETURN true;
      END $$;

      CREATE FUNCTION errand.check_url(method text, url text) RETURNS void LANGUAGE plpgsql STABLE AS $$
      DECLARE
        item text;
      BEGIN
        -- Nearly all are plain.
        IF method IN ('POST', 'PUT', 'PATCH', 'DELETE', 'GET')
          AND url ~ '^https?://[a-z0-9]+(?:[.-][a-z0-9]+)*(?::[0-9]{1,4})?(?:/[A-Za-z0-9/._~-]*)?$' THEN
          RETURN;
        END IF;
        IF method IS NULL OR method !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' OR method = 'CONNECT' THEN
          PERFORM errand.object('its method is no token, or CONNECT');
        END IF;
        IF url IS NULL OR url !~ '^[hH][tT][tT][pP][sS]?://[^/?#]+' OR url !~ '^[!-~]+$' OR url ~ '["<>\\\\^`{|}]' THEN
          PERFORM errand.object('its URL is no URL of http or https with a host, and all else percent-encoded');
        END IF;
        IF NOT errand.is_authority(regexp_replace(substring(url from '^[^:]+://([^/?#]*)'), '^.*@', '')) THEN
          PERFORM errand.object('the host or the port of its URL is not valid; a port is a number up to 65535');
        END IF;
        IF substring(url from '^[^:]+://([^/?#]*)') LIKE '%@%' THEN
          PERFORM errand.object('its URL has a user or a password in it, and no secret is stored; let the workers set '
            'Authorization at each attempt');
        END IF;
        item := errand.secret_item(url);
        IF item IS NOT NULL THEN
          PERFORM errand.object(format('the query item %s of its URL is a secret, and no secret is stored; let the '
            'workers add it at each attempt, or take the name out of the table secrets if it is none', item));
        END IF;
      END $$;

      -- The header fields, as an object or as pairs: their number, and the name and the value of each. `given_key`
      -- is the value of Idempotency-Key.
      CREATE FUNCTION errand.pack_fields(
        headers jsonb, OUT packed bytea, OUT count bigint, OUT given_key text, OUT has_type boolean, OUT size bigint
      ) LANGUAGE plpgsql STABLE AS $$
      DECLARE
        f record;
        has_host boolean := false;
      BEGIN
        packed := '';
        count := 0;
        has_type := false;
        size := 0;
        IF headers IS NULL OR jsonb_typeof(headers) = 'null' THEN RETURN; END IF;
        IF jsonb_typeof(headers) NOT IN ('object', 'array') THEN
          PERFORM errand.object('its headers are no JSON object');
        END IF;
        FOR f IN
          SELECT e.key AS name, coalesce(a.value, e.value) AS value
            FROM jsonb_each(CASE jsonb_typeof(headers) WHEN 'object' THEN headers ELSE '{}' END) e
            LEFT JOIN LATERAL jsonb_array_elements(
              CASE jsonb_typeof(e.value) WHEN 'array' THEN e.value ELSE '[]' END) a ON true
          UNION ALL SELECT p.value ->> 0, p.value -> 1
            FROM jsonb_array_elements(CASE jsonb_typeof(headers) WHEN 'array' THEN headers ELSE '[]' END) p
        LOOP
          CONTINUE WHEN jsonb_typeof(f.value) = 'array' AND jsonb_array_length(f.value) = 0;
          IF f.name IS NULL OR f.name !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' THEN
            PERFORM errand.object('the name of a header field is no token');
          END IF;
          IF f.value IS NULL OR jsonb_typeof(f.value) NOT IN ('string', 'number', 'boolean') THEN
            PERFORM errand.object(format('the header field %s is no text', f.name));
          END IF;
          IF lower(f.name COLLATE "C") IN ('content-length', 'transfer-encoding') THEN
            PERFORM errand.object(format('%s is told from the body and cannot be set', f.name));
          END IF;
          IF errand.is_secret_field(f.name) THEN
            PERFORM errand.object(format('the header field %s is a secret, and no secret is stored; let the workers '
              'add it at each attempt', f.name));
          END IF;
          IF f.value #>> '{}' ~ '[\\x01-\\x08\\x0a-\\x1f\\x7f]' THEN
            PERFORM errand.object(format('the value of the header field %s contains a control character', f.name));
          END IF;
          IF errand.secret_item(f.value #>> '{}') IS NOT NULL AND errand.unescaped(f.value #>> '{}') LIKE '%://%'
            OR f.value #>> '{}' ~ '://[^/?#]*@' THEN
            PERFORM errand.object(format('the header field %s has a URL with a secret in it', f.name));
          END IF;
          packed := packed || errand.packed(f.name) || errand.packed(f.value #>> '{}');
          count := count + 1;
          size := size + octet_length(f.name) + octet_length(f.value #>> '{}') + 4;
          CASE lower(f.name COLLATE "C")
            WHEN 'idempotency-key' THEN given_key := f.value #>> '{}';
            WHEN 'content-type' THEN has_type := true;
            WHEN 'host' THEN
              IF has_host OR f.value #>> '{}' ~ '[^!-~]|%' OR NOT errand.is_authority(f.value #>> '{}') THEN
                PERFORM errand.object('there is one Host, and it is a host and perhaps a port');
              END IF;
              has_host := true;
            ELSE
          END CASE;
        END LOOP;
      END $$;

      -- Fails with options that a worker could not read, or does not know.
      CREATE FUNCTION errand.check_options(options jsonb) RETURNS void LANGUAGE plpgsql STABLE AS $$
      DECLARE
        o record;
      BEGIN
        IF jsonb_typeof(options) <> 'object' THEN PERFORM errand.object('its options are no JSON object'); END IF;
        FOR o IN SELECT e.key, e.value AS v, jsonb_typeof(e.value) AS kind FROM jsonb_each(options) e LOOP
          CONTINUE WHEN o.kind = 'null';
          IF NOT coalesce(CASE
            WHEN o.key IN ('timeout', 'connectTimeout', 'deadline') THEN errand.is_whole(o.v) AND o.v > '0'
            WHEN o.key = 'memoryLimit' THEN errand.is_whole(o.v)
            WHEN o.key IN ('requiresBody', 'compressesBody', 'isUnauthenticated', 'isUnsigned') THEN o.kind = 'boolean'
            WHEN o.key IN ('identity', 'key') THEN o.kind = 'string'
            WHEN o.key = 'priority' THEN o.v IN ('0', '1', '2', '3')
            WHEN o.key = 'httpVersion' THEN o.v IN ('"automatic"', '"http1"', '"http2"')
            WHEN o.key IN ('contentTypes', 'trace') THEN o.kind = 'array'
              AND NOT jsonb_path_exists(o.v, 'strict $[*] ? (@.type() != "string")')
            WHEN o.key = 'statuses' THEN o.kind = 'array' AND jsonb_array_length(o.v) % 2 = 0
              AND (SELECT bool_and(errand.is_whole(b.v) AND (b.i = 1 OR o.v -> (b.i - 2)::integer <= b.v))
                FROM jsonb_array_elements(o.v) WITH ORDINALITY AS b(v, i))
            WHEN o.key = 'redirects' THEN o.kind = 'object' AND errand.is_whole(o.v -> 'limit')
              AND jsonb_typeof(o.v -> 'allowsDowngrade') = 'boolean'
              AND jsonb_typeof(o.v -> 'allowsOtherOrigins') = 'boolean'
              AND jsonb_typeof(o.v -> 'allowsChangeOfMethod') = 'boolean'
            WHEN o.key = 'resumption' THEN o.kind = 'object' AND o.v ->> 'choice' IN ('automatic', 'ietf', 'tus')
              AND (o.v -> 'maxRequestSize' IS NULL OR errand.is_whole(o.v -> 'maxRequestSize'))
              AND coalesce(jsonb_typeof(o.v -> 'isVerified'), 'boolean') = 'boolean'
              AND coalesce(jsonb_typeof(o.v -> 'name'), 'string') = 'string'
          END, false) THEN
            PERFORM errand.object(format('its option %s is not known, or its value cannot be used', left(o.key, 40)));
          END IF;
        END LOOP;
      END $$;

      CREATE FUNCTION errand.is_whole(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE jsonb_typeof(v) WHEN 'number' THEN v::numeric % 1 = 0 AND abs(v::numeric) < 9.2e18 ELSE false END
      $$;
      """
  }
#endif
