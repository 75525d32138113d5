#if os(Linux)
  @_spi(ExperimentalCustomExecutors) import _Concurrency
  import Foundation

  struct SimulationExecutors: ExecutorFactory {
    static let main = SimulationMainExecutor(PlatformExecutorFactory.mainExecutor)
    static let global = SimulationGlobalExecutor(sharedThreads)

    /// The platform's executors, or those of `make watch`, which watch their jobs.
    private static var sharedThreads: any TaskExecutor {
      guard let path = getenv("ERRAND_WATCH").map({ String(cString: $0) }) else {
        return PlatformExecutorFactory.defaultExecutor
      }
      guard let file = FileHandle(forWritingAtPath: path) else {
        fatalError("the file \(path) does not exist")
      }
      return WatchedThreads(report: file, PlatformExecutorFactory.defaultExecutor)
    }

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
  }

  /// Called once, while the process is loaded.
  @_cdecl("errand_simulation_install")
  public func installSimulationExecutors() { _createExecutors(factory: SimulationExecutors.self) }
#endif
