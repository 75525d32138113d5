#if Postgres
  public import ErrandCore
  public import ErrandOutbox

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// A statement that enqueues a request in whichever transaction it is executed, with its parameters.
  public struct PostgresStatement: Sendable, Hashable {
    /// The value of a parameter. Its type is named in the statement, so a library may send it in any form.
    public enum Parameter: Sendable, Hashable {
      case null
      case text(String)
      case bytes(Data)
    }

    /// The statement, with `$1` and so on for its parameters. It returns one row with one text: the id.
    public var sql: String
    public var parameters: [Parameter]
  }

  extension PostgresOutboxStore {
    /// Returns the statement that enqueues a request, for any library that speaks to PostgreSQL: executed in the
    /// application's own transaction, the request is stored with it or not at all.
    ///
    /// The transaction's database must have the schema (`migrate`), and the role `USAGE` of it. Caps do not apply:
    /// the outbox's are those of the program that enqueues.
    /// - Parameters:
    ///   - lane: Requests of one lane are sent one at a time, in the order in which they were enqueued.
    ///   - expires: How long from now it may be delivered. Default: no limit.
    ///   - id: Enqueuing an id again changes nothing. Default: a new one.
    ///   - secrets: What must not be stored. Default: the names that are credentials by convention.
    ///   - schema: The schema of the outbox's tables.
    /// - Throws: `OutboxError.notStorable` for what `enqueue` refuses, and for a body in a file.
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

    /// Pairs keep the order, and names that are there more than once.
    private static func json(_ fields: [(name: String, value: String)]) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      guard let data = try? encoder.encode(fields.map { [$0.name, $0.value] }) else { return "[]" }
      return String(decoding: data, as: UTF8.self)
    }
  }
#endif
