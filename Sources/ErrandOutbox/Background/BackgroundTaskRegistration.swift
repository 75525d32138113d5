#if canImport(BackgroundTasks) && os(iOS)
  import BackgroundTasks
  import ErrandCore
  import Foundation

  /// Lets the system run the app now and then, so that an outbox hands over what waits (BGTaskScheduler).
  public struct BackgroundTaskRegistration: Sendable {
    /// The identifier of the short run; it is in `BGTaskSchedulerPermittedIdentifiers` of the app's Info.plist.
    public let refresh: String
    /// The identifier of the long run, which is there, too.
    public let processing: String

    public init(refresh: String, processing: String) {
      self.refresh = refresh
      self.processing = processing
    }

    /// Registers both with the system. Call this before the app has finished launching.
    /// - Parameter delivery: Returns the delivery, once there is one.
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
          // It ends when the store is closed.
          task.expirationHandler = { work.cancel() }
        }
      }
      return areRegistered.allSatisfy(\.self)
    }

    /// Asks the system for the runs that are of use now. Call this when the app goes to the background.
    /// - Throws: `OutboxError`, or the error of the system, which has background tasks turned off.
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
