public import ErrandCore
public import ErrandOutbox
import ErrandURLSession

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends the requests of a `URLSession` through a client. They are shared, limited, retried, cached and
/// authenticated like the client's own. One line adds it to existing code, including code that uses
/// Alamofire's `Session`:
///
/// ```swift
/// configuration.protocolClasses = [ErrandURLProtocol.using(client)]
/// let session = URLSession(configuration: configuration)
/// ```
///
/// Set further options of a request with `errand`: `request.errand { $0.shared(within: .seconds(3)) }`. The
/// session's delegate, completion handlers and errors (`URLError`, with the client's error in
/// `NSUnderlyingErrorKey`) work as before.
///
/// Responses are held in memory, up to the client's `memoryLimit`. Background sessions and WebSockets bypass
/// the client. The article "From URLSession" lists the other differences, and the limits on Linux.
open class ErrandURLProtocol: URLProtocol {
  /// True for a class that `using` made.
  class var isBound: Bool { false }

  private let load = Locked<ProtocolLoad?>(nil)

  /// Returns a class for `URLSessionConfiguration.protocolClasses` whose requests are sent through this
  /// client. The same arguments return the same class. The class keeps the client and the outbox until
  /// `stopUsing(_:)` removes them.
  /// - Parameters:
  ///   - client: The client that sends the requests.
  ///   - outbox: The outbox for the requests that are marked with `errandOutbox`.
  ///   - redirects: The handling of redirects. Default: the session's delegate decides about each. On Linux,
  ///     the client always follows them.
  public static func using(
    _ client: Client, outbox: Outbox? = nil, redirects: RedirectHandling = .told
  ) -> AnyClass {
    let binding = Binding(
      client: client, outbox: outbox, tellsRedirects: redirects == .told && mayTellRedirects)
    return bindings.withLock { $0.add(binding) }
  }

  /// Releases a client, and the outbox that was given with it. Requests that are being sent continue. A later
  /// request of a session with the client's class fails with `URLError.resourceUnavailable`. It is not sent
  /// without the client.
  public static func stopUsing(_ client: Client) {
    // The client is released after the lock.
    _ = bindings.withLock { $0.remove(client) }
  }

  private static let bindings = Locked(Bindings())

  #if canImport(Darwin)
    private static let mayTellRedirects = true
  #else
    // FoundationNetworking would end the process.
    private static let mayTellRedirects = false
  #endif

  /// The handling of redirects.
  public enum RedirectHandling: Sendable {
    /// The session's delegate decides, as without this class. The next request is a separate load.
    case told
    /// The client follows redirects, and the session receives only the last response.
    case followed
  }

  open override class func canInit(with request: URLRequest) -> Bool {
    guard isBound else { return false }
    #if canImport(Darwin)
      // A protocol that is registered for all sessions also sees those of Errand's transports.
      if property(forKey: URLRequest.sentByTransport, in: request) != nil { return false }
    #endif
    return ["http", "https"].contains(request.url?.scheme?.lowercased() ?? "")
  }

  open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  open override func startLoading() {
    #if canImport(FoundationNetworking)
      if let load = load.withLock(\.self) { return load.deliver() }
    #endif
    guard let binding = Self.bindings.withLock({ $0[Self.self] }) else {
      client?.urlProtocol(self, didFailWithError: URLError.removedClient)
      return
    }
    let load = ProtocolLoad(self, binding)
    self.load.withLock { $0 = load }
    load.start()
  }

  open override func stopLoading() {
    let load = load.withLock { load in
      defer { load = nil }
      return load
    }
    load?.stop()
  }
}

/// The client and the outbox that a class sends its requests with.
struct Binding: Equatable, Sendable {
  let client: Client
  let outbox: Outbox?
  let tellsRedirects: Bool

  static func == (one: Self, other: Self) -> Bool {
    one.client === other.client && one.outbox === other.outbox && one.tellsRedirects == other.tellsRedirects
  }
}

/// A class for one client. A session accepts a class, not an object, and a protocol sees nothing else of its
/// session: neither a property of the request nor the configuration's header fields reach it on Linux. So each
/// client needs a separate class. Swift makes a class at run time only if it is generic, so the last class is
/// the parameter of the next one. A class takes less than 1 KiB, and is not used for another client.
final class BoundProtocol<Previous: ErrandURLProtocol>: ErrandURLProtocol {
  override class var isBound: Bool { true }
}

extension ErrandURLProtocol {
  /// The class after this one.
  fileprivate class var next: ErrandURLProtocol.Type { BoundProtocol<Self>.self }
}

/// The clients, by their classes. Pure.
struct Bindings {
  private var entries: [ObjectIdentifier: (bound: ErrandURLProtocol.Type, binding: Binding)] = [:]
  private var last: ErrandURLProtocol.Type = ErrandURLProtocol.self

  subscript(bound: ErrandURLProtocol.Type) -> Binding? { entries[ObjectIdentifier(bound)]?.binding }

  /// Returns the class of the binding.
  mutating func add(_ binding: Binding) -> ErrandURLProtocol.Type {
    if let present = entries.values.first(where: { $0.binding == binding }) { return present.bound }
    last = last.next
    entries[ObjectIdentifier(last)] = (last, binding)
    return last
  }

  /// Removes the bindings of a client, and returns them.
  mutating func remove(_ client: Client) -> [Binding] {
    let removed = entries.filter { $0.value.binding.client === client }
    for key in removed.keys { entries[key] = nil }
    return removed.values.map(\.binding)
  }
}
