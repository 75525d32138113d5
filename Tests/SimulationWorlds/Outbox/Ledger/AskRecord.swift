/// What became of the wish to have something stored.
struct AskRecord: Sendable {
  enum Storing: Sendable, Hashable {
    case begun
    /// It must arrive from now on.
    case accepted
    /// Nothing of it is stored.
    case refused
    /// The process ended before it heard: it may be stored or not.
    case unknown
  }

  let ask: OutboxAsk
  var storing = Storing.begun
}
