public import ErrandCore
public import ErrandOutbox
import ErrandURLSession

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends the requests of a `URLSession` through a client: they are shared, limited, retried, cached and authenticated as
/// the client's own. One line in front of code that is there, also of Alamofire's `Session`:
///
/// ```swift
/// configuration.protocolClasses = [ErrandURLProtocol.using(client)]
/// let session = URLSession(configuration: configuration)
/// ```
///
/// A request says more with `errand`: `request.errand { $0.shared(within: .seconds(3)) }`. The session's delegate, its
/// completion handlers and its errors (`URLError`, with the client's error in `NSUnderlyingErrorKey`) stay what they were.
///
/// Responses are held in memory, up to the client's `memoryLimit`. Background sessions and WebSockets pass it by. The
/// article "From URLSession" lists what else differs, and what Linux does not support.
open class ErrandURLProtocol: URLProtocol {
  /// The client of a class that `using` made.
  class var binding: Binding? { nil }

  private let load = Locked<ProtocolLoad?>(nil)

  /// Returns a class for `URLSessionConfiguration.protocolClasses` whose requests go through this client. Call it once for
  /// each client: the class and the client live as long as the process.
  /// - Parameters:
  ///   - outbox: Takes the requests that are marked with `errandOutbox`.
  ///   - redirects: Default: the session's delegate is told of each. Linux has to follow them.
  public static func using(
    _ client: Client, outbox: Outbox? = nil, redirects: RedirectHandling = .told
  ) -> AnyClass {
    Bindings.add(
      Binding(client: client, outbox: outbox, tellsRedirects: redirects == .told && mayTellRedirects))
  }

  #if canImport(Darwin)
    private static let mayTellRedirects = true
  #else
    // FoundationNetworking ends the process.
    private static let mayTellRedirects = false
  #endif

  /// What happens with a redirect.
  public enum RedirectHandling: Sendable {
    /// The session's delegate decides, as without this class; the next request is one of its own.
    case told
    /// The client follows it, and the session is told of the last response only.
    case followed
  }

  open override class func canInit(with request: URLRequest) -> Bool {
    guard binding != nil else { return false }
    #if canImport(Darwin)
      // Where a protocol is registered for all sessions, a transport's own are among them.
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

/// What a class sends its requests with.
struct Binding: Sendable {
  let client: Client
  let outbox: Outbox?
  let tellsRedirects: Bool
}

/// A session is given a class and no object, so each client gets a class of its own: `BoundProtocol` of a type that is a
/// number. The types `Zero`, `Next<Zero>`, `Next<Next<Zero>>` and so on are made as they are needed.
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
