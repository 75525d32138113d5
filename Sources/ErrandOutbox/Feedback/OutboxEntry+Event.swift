extension OutboxEntry {
  /// The step that led to this state.
  var event: OutboxEvent {
    let step: OutboxEvent.Step =
      switch state {
      case .stored:
        if let reason, let nextTry { .failed(reason: reason, next: nextTry) } else { .stored }
      case .trying: .trying(tries)
      case .delivered: .delivered(answer ?? .unknown)
      case .setAside: .setAside(reason: reason ?? "", answer: answer)
      case .expired: .expired
      case .dropped: .dropped(reason: reason ?? "")
      }
    return OutboxEvent(id: id, lane: lane, step: step, date: changed)
  }
}
