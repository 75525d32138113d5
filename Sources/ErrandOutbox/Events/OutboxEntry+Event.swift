extension OutboxEntry {
  /// The step that led to this state.
  var event: OutboxEvent {
    let step: OutboxEvent.Step =
      switch state {
      case .stored:
        if let reason, let nextAttempt { .failed(reason: reason, next: nextAttempt) } else { .stored }
      case .attempting: .attempting(attempts)
      case .delivered: .delivered(response ?? .unknown)
      case .deadLettered: .deadLettered(reason: reason ?? "", response: response)
      case .expired: .expired
      case .dropped: .dropped(reason: reason ?? "")
      }
    return OutboxEvent(id: id, lane: lane, step: step, date: changed)
  }
}
