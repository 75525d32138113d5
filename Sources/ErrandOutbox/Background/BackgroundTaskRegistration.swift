#if canImport(BackgroundTasks) && os(iOS)
  import BackgroundTasks
  import ErrandCore
  import Foundation

  /// Lets the system run the app now and then, so that an outbox can hand over waiting requests
  /// (BGTaskScheduler).
  public struct BackgroundTaskRegistration: Sendable {
    /// The identifier of the short run. `BGTaskSchedulerPermittedIdentifiers` in the app's Info.plist has to
    /// list it.
    public let refresh: String
    /// The identifier of the long run. The same key in Info.plist has to list it.
    public let processing: String

    /// Creates a registration with two different identifiers.
    public init(refresh: String, processing: String) {
      self.refresh = refresh
      self.processing = processing
    }

    /// Registers both runs with the system. Call this before the app has finished launching.
    /// - Parameter delivery: Returns the delivery; nil if it does not exist yet.
    /// - Returns: False if the system refuses an identifier.
    @discardableResult
    public func register(_ delivery: @escaping @Sendable () async -> BackgroundDelivery?) -> Bool {
      let areRegistered = [refresh, processing].map { identifier in
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
          let run = SystemRun(task)
          let work = Task {
            guard let delivery = await delivery() else { return run.end(false) }
            await delivery.runInBackground()
            try? await schedule(delivery)
            run.end(!Task.isCancelled)
          }
          // The work then closes the store and ends.
          task.expirationHandler = { work.cancel() }
        }
      }
      return areRegistered.allSatisfy(\.self)
    }

    /// Requests from the system the runs that are of use now. Call this when the app goes to the background.
    /// - Throws: `OutboxError`, or the error of the system if background tasks are turned off.
    public func schedule(_ delivery: BackgroundDelivery) async throws {
      let wish = try await delivery.taskWish()
      if wish.refreshes { try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh)) }
      if wish.processes {
        let request = BGProcessingTaskRequest(identifier: processing)
        request.requiresNetworkConnectivity = true
        request.requiresExternalPower = wish.requiresExternalPower
        try BGTaskScheduler.shared.submit(request)
      }
    }
  }

  /// A run that the system has begun, which is ended once.
  private final class SystemRun: Sendable {
    private let task: Locked<BGTask?>

    init(_ task: BGTask) { self.task = Locked(task) }

    func end(_ success: Bool) { task.withLock { $0.take() }?.setTaskCompleted(success: success) }
  }
#endif
