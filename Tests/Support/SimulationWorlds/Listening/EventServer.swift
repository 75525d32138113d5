import ErrandCore
import ErrandTesting

/// Serves event streams that have a fixed number of events. A connection gets a few of those after `Last-Event-ID`, and
/// ends; when there are no more, the response is 204.
enum EventServer {
  private static let prefix = "/events/"

  static func path(of count: Int) -> String { "\(prefix)\(count)" }

  static func isAsked(by attempt: SimulatedAttempt) -> Bool { attempt.path.hasPrefix(prefix) }

  /// Returns the response; nil if the request is for something else.
  static func response(to attempt: SimulatedAttempt) -> SimulatedResponse? {
    guard attempt.path.hasPrefix(prefix), let count = Int(attempt.path.dropFirst(prefix.count)) else {
      return nil
    }
    let last = attempt.fields["Last-Event-ID"].flatMap { Int($0) } ?? 0
    guard last < count else { return SimulatedResponse(status: 204) }
    let events = (last + 1...min(last + 1 + attempt.index % 4, count)).map {
      "id: \($0)\ndata: event \($0)\n\n"
    }
    let retry = attempt.index.isMultiple(of: 3) ? "retry: \(attempt.index % 5 * 100)\n" : ""
    return SimulatedResponse(
      fields: ["Content-Type": "text/event-stream"], text: retry + events.joined())
  }
}
