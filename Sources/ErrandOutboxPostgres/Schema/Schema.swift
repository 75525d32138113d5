#if Postgres
  import ErrandOutbox

  /// The schema of an outbox: its name, and the statements that make it. They are written for the name
  /// `errand`; `named` puts another in its place.
  struct Schema: Sendable {
    let name: String
    /// - Throws: `OutboxError.failed` if the name is not 1 to 40 small letters, digits and `_`.
    init(_ name: String) throws(OutboxError) {
      let isName = name.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == UInt8(ascii: "_") }
      guard isName, (1...40).contains(name.utf8.count), !(48...57 ~= name.utf8.first ?? 48) else {
        throw OutboxError(
          .failed,
          "a schema cannot be named \(name.debugDescription): take 1 to 40 small letters, digits and _, and no digit first"
        )
      }
      self.name = name
    }

    /// The name of the channel of notifications.
    var channel: String { "errand_of_\(name)" }

    /// Returns a statement for this schema.
    func named(_ sql: String) -> String {
      if name == "errand" { return sql }
      // In quotes: it may be a word of SQL's own.
      let channeled = Self.replace("errand_of_errand", with: channel, in: sql)
      return Self.replace("errand.", with: "\"\(name)\".", in: channeled)
    }

    static func replace(_ text: String, with other: String, in sql: String) -> String {
      var (rest, result) = (Substring(sql), "")
      while let place = rest.firstRange(of: text) {
        result += rest[..<place.lowerBound] + other
        rest = rest[place.upperBound...]
      }
      return result + rest
    }

    // MARK: Parts of statements

    /// Settings with which the planner uses indexes, whatever it believes of the sizes of tables: a plan
    /// that was made while they were empty is used when they are full. It is made once for each connection:
    /// making one takes longer than what most calls do.
    static let planning =
      "SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off "
      + "SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan"

    /// Settings of each function that is called from outside of the schema, and so of those that it calls: what a database
    /// or a role sets does not change what they mean, and no function or operator of another schema is found by chance.
    static let pinned = "SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on"

    static var columnList: String { columns.joined(separator: ", ") }

    static func columnList(of table: String) -> String {
      columns.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Returns the columns with other expressions in the places of some.
    static func columnList(replacing other: [String: String]) -> String {
      columns.map { other[$0] ?? $0 }.joined(separator: ", ")
    }
  }
#endif
