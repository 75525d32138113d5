import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The clock by which an `AWSSigner` signs: the shell around `AWSClockState`.
final class AWSClock: Sendable {
  private let state = Locked(AWSClockState())

  /// Returns the estimated time of the host's server.
  func date(for host: String, at local: Date) -> Date {
    let name = ASCII.lowercased(host)
    let date = local.addingTimeInterval(state.withLock { $0.offset(for: name) })
    // A server may send any date. With one that cannot be written, no request to the host could be signed.
    return AWSTimestamp.canWrite(date) ? date : local
  }

  /// Learns the server's time from its response to a request.
  /// - Returns: True if the request should be signed once more.
  func take(
    _ refusal: AWSRefusal, of request: OutgoingRequest, from host: String, serverDate: Date?
  ) -> Bool {
    let local = request.date.timeIntervalSince1970
    let name = ASCII.lowercased(host)
    let signed = request.fields["X-Amz-Date"].flatMap(AWSTimestamp.date)?.timeIntervalSince1970
    return state.withLock { state in
      let reply = AWSClockState.Reply(
        refusal: refusal, server: serverDate?.timeIntervalSince1970, local: local,
        signed: signed ?? local + state.offset(for: name))
      return state.take(reply, from: name)
    }
  }
}
