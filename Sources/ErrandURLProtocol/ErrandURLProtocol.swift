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
  /// The client of a class that `using` made; nil for this class.
  class var binding: Binding? { nil }

  private let load = Locked<ProtocolLoad?>(nil)

  /// Returns a class for `URLSessionConfiguration.protocolClasses` whose requests are sent through this
  /// client. Call it once for each client, because the class and the client live as long as the process.
  /// - Parameters:
  ///   - client: The client that sends the requests.
  ///   - outbox: The outbox for the requests that are marked with `errandOutbox`.
  ///   - redirects: The handling of redirects. Default: the session's delegate decides about each. On Linux,
  ///     the client always follows them.
  public static func using(
    _ client: Client, outbox: Outbox? = nil, redirects: RedirectHandling = .told
  ) -> AnyClass {
    Bindings.add(
      Binding(client: client, outbox: outbox, tellsRedirects: redirects == .told && mayTellRedirects))
  }

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
    guard binding != nil else { return false }
    #if canImport(Darwin)
      // A protocol that is registered for all sessions also sees those of Errand's transports.
      if property(forKey: URLRequest.sentByTransport, in: request) != nil { return false }
    #endif
    return ["http", "https"].contains(request.url?.scheme?.lowercased() ?? "")
  }

  open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  open override func startLoading() {
    guard let binding = Self.binding else { return }
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
struct Binding: Sendable {
  let client: Client
  let outbox: Outbox?
  let tellsRedirects: Bool
}

/// A number, as a type. A session accepts a class, not an object, so each client gets a separate class:
/// `BoundProtocol` of a number. The types `Zero`, `Next<Zero>`, `Next<Next<Zero>>` and so on are made when
/// they are needed.
protocol Numeral: Sendable {
  static var number: Int { get }
}

enum Zero: Numeral {
  static var number: Int { 0 }
}

enum Next<Number: Numeral>: Numeral {
  static var number: Int { Number.number + 1 }
}

final class BoundProtocol<Number: Numeral>: ErrandURLProtocol {
  override class var binding: Binding? { Bindings.binding(Number.number) }
}

enum Bindings {
  private struct All {
    var bindings: [Binding] = []
    var next: any Numeral.Type = Zero.self
  }

  private static let all = Locked(All())

  static func binding(_ number: Int) -> Binding? { all.withLock { $0.bindings[number] } }

  static func add(_ binding: Binding) -> AnyClass {
    let numeral = all.withLock { all in
      let numeral = all.next
      all.bindings.append(binding)
      all.next = following(numeral)
      return numeral
    }
    return bound(numeral)
  }

  private static func following<Number: Numeral>(_ number: Number.Type) -> any Numeral.Type {
    Next<Number>.self
  }

  private static func bound<Number: Numeral>(_ number: Number.Type) -> AnyClass { BoundProtocol<Number>.self }
}
