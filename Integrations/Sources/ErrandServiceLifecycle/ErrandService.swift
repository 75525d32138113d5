public import Errand
public import ServiceLifecycle

/// A client, an outbox or a metrics server as a service of a `ServiceGroup`. It waits for the graceful shutdown, and then
/// ends.
///
/// ```swift
/// let group = ServiceGroup(
///   services: [metrics.service(), client.service(), outbox.service(), server],
///   gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
///
/// A group shuts its services down one after the other, the last one first. So an outbox comes after its client, and the
/// services that send requests come after both.
public struct ErrandService: Service, CustomStringConvertible {
  public let description: String
  private let limit: Duration
  private let end: @Sendable (Duration) async -> Void

  fileprivate init(
    _ description: String, _ limit: Duration, _ end: @escaping @Sendable (Duration) async -> Void
  ) {
    self.description = description
    self.limit = limit
    self.end = end
  }

  /// Waits for the graceful shutdown, and ends within the service's time. If the task is cancelled, also while it ends, it
  /// ends at once.
  public func run() async throws {
    do {
      try await gracefulShutdown()
    } catch {
      return await end(.zero)
    }
    await withTaskCancellationHandler {
      await end(limit)
    } onCancel: { [end] in
      Task { await end(.zero) }
    }
  }
}

extension Client {
  /// Returns a service that shuts the client down: requests in flight may finish, and new ones are refused.
  /// - Parameter limit: The time after which requests in flight are cancelled. Default: 10 s.
  public func service(within limit: Duration = .seconds(10)) -> ErrandService {
    ErrandService("Errand's client", limit) { await self.shutdown(within: $0) }
  }
}

extension Outbox {
  /// Returns a service that closes the outbox: attempts in flight may finish, and the other requests stay stored.
  /// - Parameter limit: The time after which attempts in flight are cancelled. Default: 10 s.
  public func service(within limit: Duration = .seconds(10)) -> ErrandService {
    ErrandService("Errand's outbox", limit) { await self.close(within: $0) }
  }
}

extension MetricsServer {
  /// Returns a service that keeps the server until the graceful shutdown, and stops it then.
  public func service() -> ErrandService {
    ErrandService("Errand's metrics", .zero) { _ in self.stop() }
  }
}
