import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ResponseCacheConformance {
  static let variants: [Case] = [
    Case("keeps the responses of one URL apart by their numbers") { harness in
      let store = try harness.store()
      let key = CacheKey("https://example.com/")
      try await store.write(harness.response("named"), under: key)
      for number in [2, 5, 8] {
        try await store.write(harness.variant(number), under: key.variant(number))
      }
      try await harness.holds(store, harness.response("named"), under: key)
      for number in CacheKey.variants {
        try await harness.holds(
          store, [2, 5, 8].contains(number) ? harness.variant(number) : nil, under: key.variant(number))
      }
      try await store.write(harness.variant(50), under: key.variant(5))
      try await harness.holds(store, harness.variant(50), under: key.variant(5))
      try await store.remove(key.variant(2))
      try await harness.holds(store, nil, under: key.variant(2))
      try await harness.holds(store, harness.variant(8), under: key.variant(8))
      try await store.remove(key)
      try await harness.holds(store, harness.variant(8), under: key.variant(8))
    },

    Case("returns the responses of one URL by their numbers") { harness in
      let store = try harness.store()
      let user = try await store.key("https://example.com/", fields: ["Authorization": "Bearer a"])
      let keys = [CacheKey("https://example.com/"), CacheKey("https://example.com/other"), user]
      for (index, key) in keys.enumerated() {
        let none = try await store.readVariants(of: key)
        try harness.expect(none.allSatisfy { $0 == nil }, "\(none.count) responses before any was written")
        try await store.write(harness.response("named"), under: key)
        for number in [1, 3, 8] {
          try await store.write(harness.variant(number + 10 * index), under: key.variant(number))
        }
      }
      for (index, key) in keys.enumerated() {
        for given in [key, key.variant(3), key.variant(7)] {
          let found = try await store.readVariants(of: given)
          for number in CacheKey.variants {
            let response = found.count < number ? nil : found[number - 1]
            let expected = [1, 3, 8].contains(number) ? harness.variant(number + 10 * index) : nil
            try harness.expect(
              response == expected,
              "response \(number) is \(response.map { "\($0.data.count) bytes" } ?? "nothing"), by the key of "
                + "number \(given.variant)")
          }
          try harness.expect(
            found.count <= CacheKey.variants.count, "\(found.count) responses, expected at most 8")
        }
      }
    },

    Case("lists the responses of one URL under keys that can be used") { harness in
      let store = try harness.store()
      let user = try await store.key("https://example.com/", fields: ["Cookie": "a=b"])
      let keys = [CacheKey("https://example.com/"), user].flatMap { key in
        CacheKey.variants.map { key.variant($0) }
      }
      for key in keys { try await store.write(harness.variant(key.variant), under: key) }
      let listed = try await store.list().map(\.key)
      try harness.expect(
        Set(listed) == Set(keys) && listed.count == keys.count,
        "listed are \(listed.map { "\($0) \($0.variant)" })")
      for key in listed {
        try await harness.holds(store, harness.variant(key.variant), under: key)
        try await store.remove(key)
      }
      let rest = try await store.list()
      try harness.expect(rest.isEmpty, "\(rest.count) are listed after all were removed")
    },

    Case("counts reading the responses of one URL as a use of each") { harness in
      let limit = 60_000
      let store = try harness.store(limit: limit)
      let used = CacheKey("used")
      for number in [1, 2] {
        try await store.write(harness.variant(number, size: 5000), under: used.variant(number))
      }
      // More than fits.
      for number in 0..<40 {
        try await store.write(harness.response(size: 5000), under: CacheKey("\(number)"))
        _ = try await store.readVariants(of: used)
      }
      for number in [1, 2] {
        try await harness.holds(store, harness.variant(number, size: 5000), under: used.variant(number))
      }
    },

    Case("keeps the facts about a response that HTTP's rules need") { harness in
      let store = try harness.store()
      let exchanges = [
        #"{"initialAge": 0, "selecting": [], "isInvalid": false}"#,
        #"{"initialAge": 12.5, "selecting": [["de", null], [null, "ü\"\\"]], "isInvalid": true}"#,
        #"{"initialAge": 1e9, "selecting": [[]], "isInvalid": false, "part": {"start": 5, "total": 9000000000}}"#,
      ]
      // The same response, which each write renews.
      let key = CacheKey("https://example.com/").variant(1)
      for text in exchanges {
        var response = harness.response("body")
        response.exchange = try JSONDecoder().decode(CachedExchange.self, from: Data(text.utf8))
        try await store.write(response, under: key)
        try await harness.holds(store, response, under: key)
        let found = try await store.read(key)
        try harness.expect(
          found?.exchange == response.exchange, "the exchange is \(String(describing: found?.exchange))")
        let variants = try await store.readVariants(of: key)
        try harness.expect(variants.first??.exchange == response.exchange, "the variant's exchange differs")
      }
      try await store.write(harness.response("body"), under: key)
      let named = try await store.read(key)
      try harness.expect(named != nil && named?.exchange == nil, "a response without an exchange has one")
    },
  ]
}

extension ResponseCacheHarness {
  /// Returns a response of a URL that has several, with another body for each number.
  func variant(_ number: Int, size: Int? = nil) -> CachedResponse {
    let text = "variant \(number)"
    var response = CachedResponse(
      status: 200, fields: ["Vary": "Accept-Language", "ETag": "\"\(number)\""],
      data: size.map { Data(repeating: UInt8(truncatingIfNeeded: number), count: $0) } ?? Data(text.utf8),
      url: url("https://example.com/"), date: Date(timeIntervalSinceReferenceDate: 800_000_000.25))
    let exchange = #"{"initialAge": 0.5, "selecting": [["\#(number)"]], "isInvalid": false}"#
    response.exchange = try? JSONDecoder().decode(CachedExchange.self, from: Data(exchange.utf8))
    return response
  }
}
