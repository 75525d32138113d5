// swift-format-ignore-file
#if Postgres
  import Errand
  import ErrandOutboxPostgres
  import Foundation

  /// Stands for a library that speaks to PostgreSQL.
  private protocol DatabaseConnection {
    func query(_ sql: String, _ parameters: [PostgresStatement.Parameter]) async throws
  }

  private struct Order: Encodable { let number: Int }

  private func fleet(_ client: Client) async throws -> Outbox {
    let store = try await PostgresOutboxStore("postgres://app@db.example.com/app?sslmode=verify-full")
    let outbox = try await Outbox(store: store, client: client)
    return outbox
  }

  private func enqueue(_ order: Order, to ordersURL: URL, over connection: some DatabaseConnection) async throws {
    let statement = try PostgresOutboxStore.enqueueStatement(for: .post(ordersURL, json: order), lane: "customer/7")
    try await connection.query(statement.sql, statement.parameters)
  }
#endif
