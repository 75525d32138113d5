/// Decides, when the head of an answer is here, where its body goes.
protocol HeadReceiver: Sendable {
  func sink(for head: ResponseHead) throws -> any BodySink
}
