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
/// The page is served only on 127.0.0.1, under a URL with a random token. It loads nothing from other servers and
/// hides secrets. Release builds contain it only with the package trait `Inspector`; without it `start` throws.
public final class Inspector: Sendable {
  /// The error of an inspector that cannot start.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String
  }

  #if ERRAND_INSPECTOR
    private let core: InspectorCore
  #endif

  /// Creates an inspector, which records the client's calls from now on.
  /// - Parameters:
  ///   - client: The client whose calls are shown; nil to show only an outbox.
  ///   - outbox: The outbox to show, with buttons that change it; nil to show only calls.
  ///   - limits: The limits of the inspector's memory.
  public init(_ client: Client?, _ outbox: Outbox? = nil, limits: Limits = Limits()) {
    #if ERRAND_INSPECTOR
      core = InspectorCore(client, outbox, limits)
    #endif
  }

  /// - Parameter name: The page's title, so that a person can tell several apart; otherwise the program's name.
  package convenience init(_ client: Client?, _ outbox: Outbox?, name: String) {
    self.init(client, outbox)
    #if ERRAND_INSPECTOR
      core.name.withLock { $0 = name }
    #endif
  }

  /// Serves the page until `stop`, and prints its URL. A page that was served before is closed.
  /// - Parameter port: The port; 0, the default, selects a free one.
  /// - Returns: The inspector itself.
  /// - Throws: `Failure` if the port is in use, or in a release build without the trait `Inspector`.
  @discardableResult
  public func start(port: Int = 0) async throws -> Inspector {
    print("Inspector: \(try serve(port: port).absoluteString)")
    return self
  }

  /// Serves the page and returns its URL, which contains the token.
  package func serve(port: Int = 0) throws -> URL {
    #if ERRAND_INSPECTOR
      return try core.serve(port: port)
    #else
      throw Failure(
        description: "this release build has no inspector: build it with the package trait Inspector")
    #endif
  }

  /// Shows an outbox that was opened later.
  package func show(_ outbox: Outbox) {
    #if ERRAND_INSPECTOR
      core.show(outbox)
    #endif
  }

  /// Closes the page and deletes the recorded calls.
  public func stop() {
    #if ERRAND_INSPECTOR
      core.stop()
    #endif
  }
}
