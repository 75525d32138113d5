public import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Shows a client's calls and an outbox live, on a page in a browser.
///
/// ```swift
/// let inspector = try await Inspector(client, outbox).start()   // prints a URL: open it
/// ```
///
/// The page is served on 127.0.0.1 only, below a random token, and nothing on it comes from elsewhere. No secret is on
/// it. A release build has it only if the package's trait `Inspector` is on; without, `start` throws.
public final class Inspector: Sendable {
  public typealias Limits = InspectorLimits

  /// Why an inspector cannot start.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  #if ERRAND_INSPECTOR
    private let core: InspectorCore
  #endif

  /// - Parameters:
  ///   - client: The client whose calls are shown, from now on; nil for an outbox alone.
  ///   - outbox: The outbox that is shown, with buttons; nil for none.
  public init(_ client: Client?, _ outbox: Outbox? = nil, limits: Limits = Limits()) {
    #if ERRAND_INSPECTOR
      core = InspectorCore(client, outbox, limits)
    #endif
  }

  /// Serves the page until `stop`, and prints its URL. One that was served before is closed.
  /// - Parameter port: The port; 0, the default, for a free one.
  /// - Throws: `Failure`, if the port is taken, or if this is a release build without the trait `Inspector`.
  @discardableResult
  public func start(port: Int = 0) async throws -> Inspector {
    print("Inspector: \(try serve(port: port).absoluteString)")
    return self
  }

  /// Serves the page, and returns its URL with the token.
  package func serve(port: Int = 0) throws -> URL {
    #if ERRAND_INSPECTOR
      return try core.serve(port: port)
    #else
      throw Failure(description: "the inspector is not in this release build: turn the trait Inspector on")
    #endif
  }

  /// Shows an outbox that was opened later.
  package func show(_ outbox: Outbox) {
    #if ERRAND_INSPECTOR
      core.show(outbox)
    #endif
  }

  /// Closes the page, and forgets the calls.
  public func stop() {
    #if ERRAND_INSPECTOR
      core.stop()
    #endif
  }
}
