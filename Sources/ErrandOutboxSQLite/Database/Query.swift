/// A statement that is prepared once per connection. It must be a static constant, because a connection finds
/// its prepared statement by identity.
final class Query: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }
}
