import ErrandCore
import ErrandOutbox
import ErrandTesting

extension OutboxInvariant {
  static let uploads = OutboxInvariant(
    name: "an upload continues: it is complete once, and no byte is sent again that the server has confirmed"
  ) { evidence in
    evidence.stored.filter { $0.resuming != nil }.flatMap { ask -> [String] in
      var found: [String] = []
      let uploads = evidence.uploads.filter { $0.ask == ask.id }
      let complete = uploads.filter(\.isComplete).count
      if complete > 1 { found.append("\(ask) was uploaded \(complete) times") }
      let attempts = evidence.attempts.filter { $0.ask == ask.id }
      for (index, attempt) in attempts.enumerated() {
        let earlier = attempts[..<index]
        if let offset = attempt.fields["Upload-Offset"].flatMap({ Int($0) }), attempt.method == .patch {
          let confirmed = earlier.filter { $0.path == attempt.path }.compactMap(\.confirmed).max() ?? 0
          if offset < confirmed {
            found.append(
              "\(ask) was sent from \(offset) at \(attempt.began), and \(confirmed) were confirmed")
          }
        }
        guard ResumableUploads.isCreation(attempt) else { continue }
        // Its URL was stored before the next bytes went out.
        let known = earlier.last { $0.method == .patch }.flatMap(ResumableUploads.place)
        guard let known, evidence.uploads.indices.contains(known) else { continue }
        if evidence.uploads[known].forgotten ?? .longest > attempt.began {
          found.append("\(ask) began again at \(attempt.began), and the server had upload \(known)")
        }
      }
      return found
    }
  }

  static let pace = OutboxInvariant(
    name: "no server gets more attempts in a period than its rate allows, from all processes"
  ) { evidence in
    guard let rate = evidence.plan.rate else { return [] }
    return Dictionary(grouping: evidence.passes) { "\($0.origin) in \($0.boot)" }.sorted { $0.key < $1.key }
      .flatMap { origin, passes in
        rate.excesses(in: passes.map { .milliseconds($0.ticks) }).map { _, length in
          "\(rate.most + 1) attempts to \(origin) in \(length)"
        }
      }
      + Set(evidence.stored.map(\.host.name)).sorted().compactMap { host in
        let passes = evidence.passes.filter { $0.origin.hasPrefix("http://\(host)") }.count
        let begun = evidence.stored.filter { $0.host.name == host }.reduce(0) {
          $0 + evidence.sentClaims(of: $1)
        }
        return begun > passes ? "\(begun) attempts to \(host) were sent with \(passes) tokens" : nil
      }
  }
}

extension OutboxEvidence {
  /// Returns the number of claims after which something was sent.
  fileprivate func sentClaims(of ask: OutboxAsk) -> Int {
    let claims = steps(of: ask).filter { if case .claimed = $0.kind { true } else { false } }.map(\.time)
    let sent = attempts.filter { $0.ask == ask.id && $0.host == ask.host.name }.map(\.began)
    return zip(claims, claims.dropFirst() + [.longest]).filter { start, end in
      sent.contains { start <= $0 && $0 < end }
    }.count
  }
}

extension SimulatedAttempt {
  /// The number of bytes that a response has confirmed; nil if none has arrived.
  fileprivate var confirmed: Int? {
    guard case .responded = end else { return nil }
    return response?.fields["Upload-Offset"].flatMap { Int($0) }
  }
}
