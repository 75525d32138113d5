public import ErrandCore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLRequest {
  /// Returns the request with options that a `URLRequest` does not have. They apply in sessions with
  /// `ErrandURLProtocol`.
  ///
  /// ```swift
  /// let (data, _) = try await session.data(for: request.errand { $0.shared(within: .seconds(3)) })
  /// ```
  /// - Parameter change: Returns the changed request of the client. Several changes are applied in order.
  public func errand(_ change: @escaping @Sendable (Request) -> Request) -> URLRequest {
    let present = additions
    return with(RequestAdditions(changes: (present?.changes ?? []) + [change], outbox: present?.outbox))
  }

  /// Returns the request marked for the outbox. The session receives a 202 as soon as the request is stored,
  /// with its identifier (`HTTPURLResponse.errandOutboxID`). The outbox delivers the request even if the
  /// process ends.
  /// - Parameter lane: Requests of one lane are sent one at a time, in order.
  public func errandOutbox(lane: String? = nil) -> URLRequest {
    with(RequestAdditions(changes: additions?.changes ?? [], outbox: .init(lane: lane)))
  }
}

/// The options of a session's request that URLSession does not have. It is an object, because URLSession
/// copies requests.
final class RequestAdditions: NSObject, Sendable {
  struct OutboxMark: Sendable {
    let lane: String?
  }

  let changes: [@Sendable (Request) -> Request]
  let outbox: OutboxMark?

  init(changes: [@Sendable (Request) -> Request], outbox: OutboxMark?) {
    self.changes = changes
    self.outbox = outbox
  }
}

#if canImport(FoundationNetworking)
  extension URLRequest {
    /// The header field with the number of a request's additions, because FoundationNetworking loses a
    /// request's properties. The field is not sent.
    static let additionsField = "Errand-Additions"

    /// The request's additions; nil if it has none, or if too many requests were made after it.
    var additions: RequestAdditions? {
      value(forHTTPHeaderField: Self.additionsField).flatMap { Int($0) }.flatMap { number in
        AdditionsTable.shared.withLock { $0[number] }
      }
    }

    fileprivate func with(_ additions: RequestAdditions) -> URLRequest {
      var request = self
      let number = AdditionsTable.shared.withLock { $0.add(additions) }
      request.setValue("\(number)", forHTTPHeaderField: Self.additionsField)
      return request
    }
  }
#else
  import ErrandURLSession

  extension URLRequest {
    private static let additionsKey = "errand.additions"

    var additions: RequestAdditions? {
      URLProtocol.property(forKey: Self.additionsKey, in: self) as? RequestAdditions
    }

    fileprivate func with(_ additions: RequestAdditions) -> URLRequest {
      withProperty(Self.additionsKey, additions)
    }
  }
#endif

/// The additions of the newest requests, by number. Pure.
struct AdditionsTable {
  static let shared = Locked(AdditionsTable(limit: 10_000))

  private let limit: Int
  private var last = 0
  private var additions: [Int: RequestAdditions] = [:]

  init(limit: Int) { self.limit = limit }

  subscript(number: Int) -> RequestAdditions? { additions[number] }

  mutating func add(_ new: RequestAdditions) -> Int {
    last += 1
    additions[last] = new
    additions[last - limit] = nil
    return last
  }
}
