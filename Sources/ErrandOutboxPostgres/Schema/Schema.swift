#if Postgres
  import ErrandOutbox

  /// The schema of an outbox: its name, and the statements that create it. They are written for the name
  /// `errand`, and `named` replaces that name.
  struct Schema: Sendable {
    let name: String
    /// Creates a schema with this name.
    /// - Throws: `OutboxError.failed` if the name is not 1 to 40 small letters, digits and `_`, or if it
    ///   begins with a digit.
    init(_ name: String) throws(OutboxError) {
      let isName = name.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == UInt8(ascii: "_") }
      guard isName, (1...40).contains(name.utf8.count), !(48...57 ~= name.utf8.first ?? 48) else {
        throw OutboxError(
          .failed,
          "\(name.debugDescription) is not a valid name of a schema: use 1 to 40 small letters, digits and _, not beginning with a digit"
        )
      }
      self.name = name
    }

    /// The name of the channel of notifications.
    var channel: String { "errand_of_\(name)" }

    /// Returns a statement for this schema.
    func named(_ sql: String) -> String {
      if name == "errand" { return sql }
      // In quotes, because the name may be a keyword of SQL.
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

    /// Settings with which the planner uses indexes, even if its statistics say that the tables are empty: a
    /// plan that was made for empty tables is used when they are full. Each connection makes a plan once,
    /// because making one takes longer than most calls.
    static let planning =
      "SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off "
      + "SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan"

    /// Settings of each function that is called from outside of the schema, and thus of the functions that it
    /// calls. With them, settings of a database or a role do not change the function's meaning, and it finds
    /// no function or operator of another schema.
    static let pinned = "SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on"

    static var columnList: String { columns.joined(separator: ", ") }

    static func columnList(of table: String) -> String {
      columns.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Returns the columns, some of them replaced by other expressions.
    static func columnList(replacing other: [String: String]) -> String {
      columns.map { other[$0] ?? $0 }.joined(separator: ", ")
    }
  }
#endif
