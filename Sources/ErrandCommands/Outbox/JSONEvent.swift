import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A step of a stored request, in JSON.
struct JSONEvent: Encodable {
  let id: String
  let lane: String?
  /// `stored`, `trying`, `failed`, `delivered`, `set-aside`, `expired` or `dropped`.
  let event: String
  let date: String
  var tries: Int?
  var reason: String?
  var nextTry: String?
  var status: Int?

  init(_ event: OutboxEvent) {
    id = event.id.rawValue
    lane = event.lane
    date = JSONText.date(event.date)
    switch event.step {
    case .stored: self.event = "stored"
    case .trying(let count):
      self.event = "trying"
      tries = count
    case .failed(let reason, let next):
      self.event = "failed"
      self.reason = reason
      nextTry = JSONText.date(next)
    case .delivered(let answer):
      self.event = "delivered"
      status = answer.status.rawValue
    case .setAside(let reason, let answer):
      self.event = "set-aside"
      self.reason = reason
      status = answer?.status.rawValue
    case .expired: self.event = "expired"
    case .dropped(let reason):
      self.event = "dropped"
      self.reason = reason
    }
  }
}
