import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AnswerStoreConformance {
  static let keeping: [Case] = [
    Case("gives back what it was given, to the last detail") { lab in
      let store = try lab.store()
      var fields = HTTPFields()
      for (name, value) in [("ETag", "\"ü\""), ("X-Twice", "1"), ("x-twice", "2, \"\\"), ("Empty", "")] {
        fields.append(name, value)
      }
      let bodies = [Data(), Data(0...255), ConformanceLab.bytes(300_000)]
      for (number, body) in bodies.enumerated() {
        let answer = KeptAnswer(
          status: Status(200 + number), fields: fields, data: body,
          url: lab.url("https://example.com:8443/a%20b/?q=%C3%A4"),
          date: Date(timeIntervalSince1970: 1_700_000_000.000001 * Double(number)))
        let key = AnswerKey("answer \(number)")
        try await store.write(answer, under: key)
        try await lab.holds(store, answer, under: key)
        let found = try await store.read(key)
        try lab.expect(
          found?.fields.map(\.name) == fields.map(\.name),
          "the fields' names are \(found?.fields.map(\.name) ?? [])")
      }
    },

    Case("takes any name") { lab in
      let store = try lab.store()
      let names = [
        "", " ", "/", "..", "../../etc/passwd", "a/b", "A", "a", "a.", "a\0b", "a\nb", "ключ", "🔑",
        "https://example.com/?a=b&c=d", String(repeating: "long", count: 5000),
      ]
      for name in names { try await store.write(lab.answer("of \(name)"), under: AnswerKey(name)) }
      for name in names { try await lab.holds(store, lab.answer("of \(name)"), under: AnswerKey(name)) }
      let listed = try await lab.names(store)
      try lab.expect(listed == Set(names), "listed are \(listed.count) names of \(names.count)")
    },

    Case("has nothing under a key that it was not given") { lab in
      let store = try lab.store()
      try await lab.holds(store, nil, under: AnswerKey("a"))
      try await store.write(lab.answer("a"), under: AnswerKey("a"))
      try await lab.holds(store, nil, under: AnswerKey("b"))
    },

    Case("never gives one user's answer to another") { lab in
      let store = try lab.store()
      var keys = [AnswerKey("inbox")]
      for token in ["Bearer a", "Bearer b"] {
        keys.append(try await store.key("inbox", fields: ["Authorization": token]))
      }
      try lab.expect(Set(keys).count == 3, "keys of different users are the same")
      for (number, key) in keys.enumerated() {
        try await lab.holds(store, nil, under: key)
        try await store.write(lab.answer("user \(number)"), under: key)
      }
      for (number, key) in keys.enumerated() {
        try await lab.holds(store, lab.answer("user \(number)"), under: key)
      }
      try await store.remove(keys[1])
      try await lab.holds(store, nil, under: keys[1])
      try await lab.holds(store, lab.answer("user 2"), under: keys[2])
      try await lab.holds(store, lab.answer("user 0"), under: keys[0])
    },

    Case("knows a user again, and another store does not") { lab in
      let (store, other) = (try lab.store(), try lab.store())
      let fields: HTTPFields = ["Authorization": "Bearer a"]
      let first = try await store.key("inbox", fields: fields)
      let second = try await store.key("inbox", fields: fields)
      let foreign = try await other.key("inbox", fields: fields)
      try lab.expect(first == second, "the salt has changed")
      try lab.expect(first != foreign, "two stores have the same salt")
      let length = try await store.salt().count
      try lab.expect(length >= 16, "the salt has \(length) bytes")
    },

    Case("replaces an answer by a newer one") { lab in
      let store = try lab.store()
      for size in [10, 100_000, 0, 20] {
        try await store.write(lab.answer(size: size), under: AnswerKey("a"))
        try await lab.holds(store, lab.answer(size: size), under: AnswerKey("a"))
      }
      let count = try await store.list().count
      try lab.expect(count == 1, "\(count) are listed, expected one")
    },

    Case("removes what it is told to, and nothing else") { lab in
      let store = try lab.store()
      for name in ["a", "b"] { try await store.write(lab.answer(name), under: AnswerKey(name)) }
      try await store.remove(AnswerKey("a"))
      try await store.remove(AnswerKey("a"))
      try await store.remove(AnswerKey("c"))
      try await lab.holds(store, nil, under: AnswerKey("a"))
      try await lab.holds(store, lab.answer("b"), under: AnswerKey("b"))
    },

    Case("lists what it keeps, under keys that can be used") { lab in
      let store = try lab.store()
      let empty = try await store.list()
      try lab.expect(empty.isEmpty, "\(empty.count) are listed before anything was written")
      let user = try await store.key("a", fields: ["Cookie": "a=b"])
      let keys = [AnswerKey("a"), AnswerKey("b"), user]
      for (number, key) in keys.enumerated() { try await store.write(lab.answer(size: number), under: key) }
      let entries = try await store.list()
      try lab.expect(
        Set(entries.map(\.key)) == Set(keys) && entries.count == 3, "listed are \(entries.map(\.key))")
      for entry in entries {
        guard let answer = try await store.read(entry.key) else {
          throw ConformanceFailure("\(entry.key) is listed and not kept")
        }
        try lab.expect(
          entry.status == answer.status && entry.url == answer.url && entry.date == answer.date
            && entry.size >= answer.data.count, "the entry \(entry) is not that of its answer")
        try await store.remove(entry.key)
      }
      let rest = try await store.list()
      try lab.expect(rest.isEmpty, "\(rest.count) are listed after all were removed")
    },

    Case("clears everything, and goes on") { lab in
      let store = try lab.store()
      try await store.clear()
      for number in 0..<20 { try await store.write(lab.answer(size: number), under: AnswerKey("\(number)")) }
      try await store.clear()
      let rest = try await store.list()
      try lab.expect(rest.isEmpty, "\(rest.count) are listed after all were cleared")
      try await lab.holds(store, nil, under: AnswerKey("3"))
      try await store.write(lab.answer("new"), under: AnswerKey("3"))
      try await lab.holds(store, lab.answer("new"), under: AnswerKey("3"))
    },
  ]
}
