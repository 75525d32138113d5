INSERT INTO reference.requests(summary, content)
  VALUES (convert_to(repeat('x', 120), 'UTF8'), convert_to(repeat('y', 300), 'UTF8'));
