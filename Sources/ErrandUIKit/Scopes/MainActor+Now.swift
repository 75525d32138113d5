#if canImport(Darwin)
  import Foundation

  private var isOnMainActor: Bool { Thread.isMainThread }
#else
  import Dispatch

  /// Without Apple's run loop, the main queue may run on another thread than the process's first.
  private var isOnMainActor: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

  private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
#endif

/// Runs work on the main actor: at once if called there, else soon.
func onMainActor(_ work: @escaping @MainActor @Sendable () -> Void) {
  if isOnMainActor { MainActor.assumeIsolated(work) } else { Task { @MainActor in work() } }
}
