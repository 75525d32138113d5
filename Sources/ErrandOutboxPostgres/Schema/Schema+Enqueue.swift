#if Postgres
  import ErrandCore

  extension Schema {
    /// Enqueuing in SQL, inside of an application's own transaction.
    static let enqueuing = """
      -- A number with seven bits in a byte, the lowest first.
      CREATE FUNCTION errand.leb(n bigint) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
      DECLARE
        bytes bytea := '';
      BEGIN
        WHILE n > 127 LOOP
          bytes := bytes || set_byte('\\x00', 0, ((n & 127) | 128)::integer);
          n := n >> 7;
        END LOOP;
        RETURN bytes || set_byte('\\x00', 0, n::integer);
      END $$;

      -- A text with its length before it.
      CREATE FUNCTION errand.packed(t text) RETURNS bytea LANGUAGE sql IMMUTABLE AS
        $$ SELECT errand.leb(octet_length(convert_to(t, 'UTF8'))) || convert_to(t, 'UTF8') $$;

      -- A text without its percent-encoding, with other bytes than ASCII in another form.
      CREATE FUNCTION errand.unescaped(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
        SELECT coalesce(encode(string_agg(
          CASE WHEN m[1] ~ '^%[0-9A-Fa-f]{2}$' THEN decode(substr(m[1], 2), 'hex') ELSE convert_to(m[1], 'UTF8') END,
          ''::bytea ORDER BY nth), 'escape'), '')
        FROM regexp_matches(t, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY x(m, nth)
      $$;

      -- The first name of an item in a URL, or in a URL within it, whose value is a credential; null for none.
      CREATE FUNCTION errand.secret_item(url text) RETURNS text LANGUAGE plpgsql STABLE AS $$
      DECLARE
        t text := url;
        found text;
      BEGIN
        IF url !~ '[?;#%&]' THEN RETURN NULL; END IF;
        FOR turn IN 0..8 LOOP
          SELECT s.name INTO found FROM regexp_matches(t, '[?&;#]([^?&;#/=]*)=', 'g') m,
            regexp_split_to_table(m[1], '[][]') part, errand.secrets s
            WHERE s.kind = 'item'
              AND lower(regexp_replace(part, '[-_.+[:space:][:cntrl:]]', '', 'g') COLLATE "C")
                = lower(regexp_replace(s.name, '[-_.+]', '', 'g') COLLATE "C") LIMIT 1;
          IF found IS NOT NULL THEN RETURN found; END IF;
          IF t !~ '%[0-9A-Fa-f]{2}' THEN RETURN NULL; END IF;
          t := errand.unescaped(t);
        END LOOP;
        -- Encoded so often that it hides something.
        RETURN 'an encoded one';
      END $$;

      CREATE FUNCTION errand.is_secret_field(name text) RETURNS boolean LANGUAGE sql STABLE AS $$
        SELECT EXISTS (SELECT FROM errand.secrets s WHERE s.kind = 'field'
          AND right(lower($1 COLLATE "C"), length(s.name)) = s.name)
      $$;

      -- Fails with what is wrong with a request, and what to do. No value of it is shown.
      CREATE FUNCTION errand.object(why text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the request cannot be stored: %', why USING ERRCODE = '22023';
      END $$;
      """

    /// The names that Swift's own check knows.
    static var secretNames: String {
      let fields = Secrets.fieldEndings.map { "('field', '\($0)')" }
      let items = Secrets.commonQueryItems.sorted().map { "('item', '\($0)')" }
      return (fields + items).joined(separator: ", ")
    }

    static let checking = """
      CREATE FUNCTION errand.check_url(method text, url text) RETURNS void LANGUAGE plpgsql STABLE AS $$
      DECLARE
        item text;
      BEGIN
        IF method IS NULL OR method !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' OR method = 'CONNECT' THEN
          PERFORM errand.object('its method is no token, or CONNECT');
        END IF;
        IF url IS NULL OR url !~ '^[hH][tT][tT][pP][sS]?://[^/?#]+' OR url !~ '^[!-~]+$' OR url ~ '["<>\\\\^`{|}]' THEN
          PERFORM errand.object('its URL is no URL of http or https with a host, and all else percent-encoded');
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
      CREATE FUNCTION errand.pack_fields(headers jsonb, OUT packed bytea, OUT count bigint, OUT given_key text)
      LANGUAGE plpgsql STABLE AS $$
      DECLARE
        f record;
      BEGIN
        packed := '';
        count := 0;
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
          IF lower(f.name COLLATE "C") = 'idempotency-key' THEN given_key := f.value #>> '{}'; END IF;
        END LOOP;
      END $$;
      """
  }
#endif
