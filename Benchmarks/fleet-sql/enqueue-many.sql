SELECT errand.enqueue_many((SELECT jsonb_agg(jsonb_build_object(
  'method', 'POST', 'url', 'https://example.com/orders', 'body', repeat('x', 200))) FROM generate_series(1, 100)));
