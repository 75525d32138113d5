/// A statement that is prepared once per connection. To be kept in a static constant: a connection knows it by identity.
final class Query: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }
}
