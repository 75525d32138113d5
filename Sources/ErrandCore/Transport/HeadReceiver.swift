/// Chooses the sink for the body when the head of a response has arrived.
protocol HeadReceiver: Sendable {
  func sink(for head: ResponseHead) throws -> any BodySink
  /// Uses one more of the call's attempts, if its policy has one left for a lost connection.
  func claimRepeat() -> Bool
}

extension HeadReceiver {
  func claimRepeat() -> Bool { false }
}
