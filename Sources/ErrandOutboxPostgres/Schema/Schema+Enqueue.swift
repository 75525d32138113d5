#if Postgres
  import ErrandCore

  extension Schema {
    /// Functions that enqueue requests in SQL, inside an application's transaction.
    static let enqueuing = """
      -- A number with seven bits in a byte, the lowest first.
      CREATE FUNCTION errand.long_leb(n bigint) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
      DECLARE
        bytes bytea := '';
      BEGIN
        WHILE n > 127 LOOP
          bytes := bytes || set_byte('\\x00', 0, ((n & 127) | 128)::integer);
          n := n >> 7;
        END LOOP;
        RETURN bytes || set_byte('\\x00', 0, n::integer);
      END $$;

      -- The same, in a form that PostgreSQL puts in the place of a call.
      CREATE FUNCTION errand.leb(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN n < 128 THEN set_byte('\\x00', 0, n::integer)
          WHEN n < 16384 THEN set_byte(set_byte('\\x0000', 0, (n & 127 | 128)::integer), 1, (n >> 7)::integer)
          ELSE errand.long_leb(n) END
      $$;

      -- A text with its length before it. The database's encoding is UTF-8.
      CREATE FUNCTION errand.packed(t text) RETURNS bytea LANGUAGE sql STABLE AS
        $$ SELECT errand.leb(octet_length(t)) || convert_to(t, 'UTF8') $$;

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
        hit text;
      BEGIN
        IF url !~ '[?;#%&]' THEN RETURN NULL; END IF;
        FOR turn IN 0..8 LOOP
          SELECT s.name INTO hit FROM errand.secrets s, (
              SELECT lower(regexp_replace(part, '[-_.+[:space:][:cntrl:]]', '', 'g') COLLATE "C") AS name
              FROM regexp_matches(t, '[?&;#]([^?&;#/=]*)=', 'g') m, regexp_split_to_table(m[1], '[][]') part OFFSET 0
            ) item
            WHERE s.kind = 'item' AND lower(translate(s.name, '-_.+', '') COLLATE "C") = item.name LIMIT 1;
          IF hit IS NOT NULL THEN RETURN hit; END IF;
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

    /// The names that the check in Swift knows.
    static var secretNames: String {
      let fields = Secrets.fieldEndings.map { "('field', '\($0)')" }
      let items = Secrets.commonQueryItems.sorted().map { "('item', '\($0)')" }
      return (fields + items).joined(separator: ", ")
    }
  }
#endif
