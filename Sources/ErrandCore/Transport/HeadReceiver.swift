/// Decides, when the head of an answer is here, where its body goes.
protocol HeadReceiver: Sendable {
  func sink(for head: ResponseHead) throws -> any BodySink
  /// Takes one more of the call's tries, if its policy has one left for a connection that was lost.
  func claimRepeat() -> Bool
}

extension HeadReceiver {
  func claimRepeat() -> Bool { false }
}
