// The declarations of BackgroundTasks on iOS that this package uses.

public import Foundation

open class BGTask: NSObject, @unchecked Sendable {
  open var identifier: String { absent() }
  open var expirationHandler: (@Sendable () -> Void)?
  open func setTaskCompleted(success: Bool) { absent() }
}

open class BGTaskRequest: NSObject, @unchecked Sendable {
  open var earliestBeginDate: Date?
}

open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
  public init(identifier: String) { absent() }
}

open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  public init(identifier: String) { absent() }
  open var requiresNetworkConnectivity: Bool {
    get { absent() }
    set { absent() }
  }
  open var requiresExternalPower: Bool {
    get { absent() }
    set { absent() }
  }
}

open class BGTaskScheduler: NSObject, @unchecked Sendable {
  open class var shared: BGTaskScheduler { absent() }
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool { absent() }
  open func submit(_ taskRequest: BGTaskRequest) throws { absent() }
}
