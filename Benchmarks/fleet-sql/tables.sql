-- A minimal queue for pgbench.
CREATE SCHEMA reference;
CREATE TABLE reference.requests(
  id bigserial PRIMARY KEY, name uuid NOT NULL DEFAULT gen_random_uuid(), state smallint NOT NULL DEFAULT 0,
  owner integer, lease_end timestamptz, summary bytea NOT NULL, content bytea, response bytea
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX ON reference.requests(name);
CREATE INDEX ON reference.requests(id) WHERE state = 0;
CREATE INDEX ON reference.requests(owner) WHERE state = 1;
