import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An event of a stored request, in JSON.
struct JSONEvent: Encodable {
  let id: String
  let lane: String?
  /// `stored`, `attempting`, `failed`, `delivered`, `dead-letter`, `expired` or `dropped`.
  let event: String
  let date: String
  var attempts: Int?
  var reason: String?
  var nextAttempt: String?
  var status: Int?

  init(_ event: OutboxEvent) {
    id = event.id.rawValue
    lane = event.lane
    date = JSONText.date(event.date)
    switch event.step {
    case .stored: self.event = "stored"
    case .attempting(let count):
      self.event = "attempting"
      attempts = count
    case .failed(let reason, let next):
      self.event = "failed"
      self.reason = reason
      nextAttempt = JSONText.date(next)
    case .delivered(let response):
      self.event = "delivered"
      status = response.status.code
    case .deadLettered(let reason, let response):
      self.event = "dead-letter"
      self.reason = reason
      status = response?.status.code
    case .expired: self.event = "expired"
    case .dropped(let reason):
      self.event = "dropped"
      self.reason = reason
    }
  }
}
