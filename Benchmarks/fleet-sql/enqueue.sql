SELECT errand.enqueue('POST', 'https://example.com/orders', body => repeat('x', 200));
