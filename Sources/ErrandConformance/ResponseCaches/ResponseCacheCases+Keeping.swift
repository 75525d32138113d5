import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ResponseCacheConformance {
  static let caching: [Case] = [
    Case("returns a response with all its details") { harness in
      let store = try harness.store()
      var fields = HTTPFields()
      for (name, value) in [("ETag", "\"ü\""), ("X-Twice", "1"), ("x-twice", "2, \"\\"), ("Empty", "")] {
        fields.append(name, value)
      }
      let bodies = [Data(), Data(0...255), Data.noise(300_000)]
      for (number, body) in bodies.enumerated() {
        let response = CachedResponse(
          status: HTTPStatus(200 + number), fields: fields, data: body,
          url: harness.url("https://example.com:8443/a%20b/?q=%C3%A4"),
          date: Date(timeIntervalSince1970: 1_700_000_000.000001 * Double(number)))
        let key = CacheKey("response \(number)")
        try await store.write(response, under: key)
        try await harness.holds(store, response, under: key)
        let found = try await store.read(key)
        try harness.expect(
          found?.fields.map(\.name) == fields.map(\.name),
          "the fields' names are \(found?.fields.map(\.name) ?? [])")
      }
    },

    Case("accepts any name") { harness in
      let store = try harness.store()
      let names = [
        "", " ", "/", "..", "../../etc/passwd", "a/b", "A", "a", "a.", "a\0b", "a\nb", "ключ", "🔑",
        "https://example.com/?a=b&c=d", String(repeating: "long", count: 5000),
      ]
      for name in names { try await store.write(harness.response("of \(name)"), under: CacheKey(name)) }
      for name in names {
        try await harness.holds(store, harness.response("of \(name)"), under: CacheKey(name))
      }
      let listed = try await harness.names(store)
      try harness.expect(listed == Set(names), "listed are \(listed.count) names of \(names.count)")
    },

    Case("has no response under an unknown key") { harness in
      let store = try harness.store()
      try await harness.holds(store, nil, under: CacheKey("a"))
      try await store.write(harness.response("a"), under: CacheKey("a"))
      try await harness.holds(store, nil, under: CacheKey("b"))
    },

    Case("never returns one user's response to another") { harness in
      let store = try harness.store()
      var keys = [CacheKey("inbox")]
      for token in ["Bearer a", "Bearer b"] {
        keys.append(try await store.key("inbox", fields: ["Authorization": token]))
      }
      try harness.expect(Set(keys).count == 3, "keys of different users are the same")
      for (number, key) in keys.enumerated() {
        try await harness.holds(store, nil, under: key)
        try await store.write(harness.response("user \(number)"), under: key)
      }
      for (number, key) in keys.enumerated() {
        try await harness.holds(store, harness.response("user \(number)"), under: key)
      }
      try await store.remove(keys[1])
      try await harness.holds(store, nil, under: keys[1])
      try await harness.holds(store, harness.response("user 2"), under: keys[2])
      try await harness.holds(store, harness.response("user 0"), under: keys[0])
    },

    Case("recognizes a user, and another cache does not") { harness in
      let (store, other) = (try harness.store(), try harness.store())
      let fields: HTTPFields = ["Authorization": "Bearer a"]
      let first = try await store.key("inbox", fields: fields)
      let second = try await store.key("inbox", fields: fields)
      let foreign = try await other.key("inbox", fields: fields)
      try harness.expect(first == second, "the salt has changed")
      try harness.expect(first != foreign, "two stores have the same salt")
      let length = try await store.salt().count
      try harness.expect(length >= 16, "the salt has \(length) bytes")
    },

    Case("replaces a response by a newer one") { harness in
      let store = try harness.store()
      for size in [10, 100_000, 0, 20] {
        try await store.write(harness.response(size: size), under: CacheKey("a"))
        try await harness.holds(store, harness.response(size: size), under: CacheKey("a"))
      }
      let count = try await store.list().count
      try harness.expect(count == 1, "\(count) are listed, expected one")
    },

    Case("removes only the given response") { harness in
      let store = try harness.store()
      for name in ["a", "b"] { try await store.write(harness.response(name), under: CacheKey(name)) }
      try await store.remove(CacheKey("a"))
      try await store.remove(CacheKey("a"))
      try await store.remove(CacheKey("c"))
      try await harness.holds(store, nil, under: CacheKey("a"))
      try await harness.holds(store, harness.response("b"), under: CacheKey("b"))
    },

    Case("lists its responses under keys that can be used") { harness in
      let store = try harness.store()
      let empty = try await store.list()
      try harness.expect(empty.isEmpty, "\(empty.count) are listed before anything was written")
      let user = try await store.key("a", fields: ["Cookie": "a=b"])
      let keys = [CacheKey("a"), CacheKey("b"), user]
      for (number, key) in keys.enumerated() {
        try await store.write(harness.response(size: number), under: key)
      }
      let entries = try await store.list()
      try harness.expect(
        Set(entries.map(\.key)) == Set(keys) && entries.count == 3, "listed are \(entries.map(\.key))")
      for entry in entries {
        guard let response = try await store.read(entry.key) else {
          throw ConformanceFailure("\(entry.key) is listed and not kept")
        }
        try harness.expect(
          entry.status == response.status && entry.url == response.url && entry.date == response.date
            && entry.size >= response.data.count, "the entry \(entry) is not that of its response")
        try await store.remove(entry.key)
      }
      let rest = try await store.list()
      try harness.expect(rest.isEmpty, "\(rest.count) are listed after all were removed")
    },

    Case("removes all responses, and can be used afterwards") { harness in
      let store = try harness.store()
      try await store.clear()
      for number in 0..<20 {
        try await store.write(harness.response(size: number), under: CacheKey("\(number)"))
      }
      try await store.clear()
      let rest = try await store.list()
      try harness.expect(rest.isEmpty, "\(rest.count) are listed after all were cleared")
      try await harness.holds(store, nil, under: CacheKey("3"))
      try await store.write(harness.response("new"), under: CacheKey("3"))
      try await harness.holds(store, harness.response("new"), under: CacheKey("3"))
    },
  ]
}
