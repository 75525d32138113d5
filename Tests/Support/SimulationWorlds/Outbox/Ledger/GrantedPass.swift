/// A token of a rate limit that the store has given.
struct GrantedPass: Sendable {
  let origin: String
  let ticks: Int64
  /// The boot of the machine in which the ticks count.
  let boot: String
}
