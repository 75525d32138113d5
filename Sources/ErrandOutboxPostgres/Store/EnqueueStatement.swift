#if Postgres
  public import ErrandCore
  public import ErrandOutbox

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// A statement, with its parameters, that enqueues a request in the transaction that executes it.
  public struct PostgresStatement: Sendable, Hashable {
    /// The value of a parameter. The statement names its type, so a library may send the value in any form.
    public enum Parameter: Sendable, Hashable {
      /// The null value.
      case null
      /// A text.
      case text(String)
      /// Bytes, for the type `bytea`.
      case bytes(Data)
    }

    /// The statement, with `$1` and so on for its parameters. It returns one row with one text: the id.
    public var sql: String
    /// The values of the parameters, in order.
    public var parameters: [Parameter]
  }

  extension PostgresOutboxStore {
    /// Returns a statement that enqueues a request, for any library that speaks to PostgreSQL. If the
    /// application's transaction executes it, the request is stored when that transaction commits, and not
    /// otherwise.
    ///
    /// The database must have the schema (`migrate`), and the role needs `USAGE` of it. Caps do not apply,
    /// because they are settings of the program that enqueues with an `Outbox`.
    /// - Parameters:
    ///   - request: The request. Its body must not be a file.
    ///   - lane: Requests of one lane are sent one at a time, in the order in which they were enqueued.
    ///     Default: no lane.
    ///   - expires: The time from now in which the request may be delivered. Default: no limit.
    ///   - id: The id. Enqueuing an id a second time changes nothing. Default: a new one.
    ///   - holdsLane: True if the lane waits while this request is a dead letter. Default: false.
    ///   - secrets: The secrets that must not be stored. Default: the names that are credentials by
    ///     convention.
    ///   - schema: The schema of the outbox's tables. Default: `errand`.
    /// - Throws: `OutboxError.notStorable` for a request that `enqueue` refuses, and for a body in a file.
    public static func enqueueStatement(
      for request: Request, lane: String? = nil, expires: Duration? = nil, id: OutboxID? = nil,
      holdsLane: Bool = false, secrets: Secrets = Secrets(), schema: String = "errand"
    ) throws(OutboxError) -> PostgresStatement {
      let (parts, named) = (try RequestParts(request, secrets: secrets), try Schema(schema))
      let priority = String(describing: request.options.priority)
      var fields = parts.fields
      let hasType = fields.contains { $0.name.lowercased() == "content-type" }
      if let type = parts.contentType, !hasType { fields.append(("Content-Type", type)) }
      var parameters: [PostgresStatement.Parameter] = [
        .text(parts.method), .text(parts.url), .text(Self.json(fields)),
        lane.map { .text($0) } ?? .null, .text(priority),
        expires.map { .text("\($0.storedMilliseconds) milliseconds") } ?? .null,
        id.map { .text($0.rawValue) } ?? .null, .text(holdsLane ? "true" : "false"),
        parts.options.map { .text($0) } ?? .null,
      ]
      var sql = """
        SELECT errand.enqueue(method => $1::text, url => $2::text, headers => $3::text::jsonb, lane => $4::text, \
        priority => $5::text, expires => $6::text::interval, id => $7::text, holds_lane => $8::text::boolean, \
        options => $9::text::jsonb
        """
      if let body = parts.body {
        parameters.append(.bytes(body))
        sql += ", body => $10::bytea"
      }
      return PostgresStatement(sql: named.named(sql + ")"), parameters: parameters)
    }

    /// Pairs keep the order of the fields, and names that occur more than once.
    private static func json(_ fields: [(name: String, value: String)]) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      guard let data = try? encoder.encode(fields.map { [$0.name, $0.value] }) else { return "[]" }
      return String(decoding: data, as: UTF8.self)
    }
  }
#endif
