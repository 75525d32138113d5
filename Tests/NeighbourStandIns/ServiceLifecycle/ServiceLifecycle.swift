// Stands in for swift-service-lifecycle 2.6: the declarations that the integrations use, with a small implementation that
// ignores signals.
public import Logging
import Synchronization
public import UnixSignals

public protocol Service: Sendable {
  func run() async throws
}

/// The graceful shutdown of one service.
private final class Shutdown: Sendable {
  @TaskLocal static var current: Shutdown?

  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func trigger() { continuation.finish() }

  func wait() async { for await _ in stream {} }
}

/// Waits until graceful shutdown is triggered. Throws if the task is cancelled before that.
public func gracefulShutdown() async throws {
  guard let shutdown = Shutdown.current else {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
  await shutdown.wait()
  try Task.checkCancellation()
}

public actor ServiceGroup: Sendable, Service {
  private let services: [any Service]
  private let shutdowns: [Shutdown]
  private let trigger = Shutdown()

  public init(
    services: [any Service], gracefulShutdownSignals: [UnixSignal] = [],
    cancellationSignals: [UnixSignal] = [],
    logger: Logger
  ) {
    self.services = services
    shutdowns = services.map { _ in Shutdown() }
  }

  public func triggerGracefulShutdown() async { trigger.trigger() }

  /// Runs the services. At the graceful shutdown, they end one after the other, the last one first.
  public func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let running = zip(services, shutdowns).map { service, shutdown in
        Task { try await Shutdown.$current.withValue(shutdown) { try await service.run() } }
      }
      group.addTask { [trigger, shutdowns] in
        await trigger.wait()
        for (task, shutdown) in zip(running, shutdowns).reversed() where !Task.isCancelled {
          shutdown.trigger()
          try await task.value
        }
      }
      try await withTaskCancellationHandler {
        try await group.waitForAll()
        for task in running { try await task.value }
      } onCancel: {
        for task in running { task.cancel() }
      }
    }
  }
}
