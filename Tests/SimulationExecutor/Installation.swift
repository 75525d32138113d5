#if os(Linux)
  @_spi(ExperimentalCustomExecutors) import _Concurrency

  struct SimulationExecutors: ExecutorFactory {
    static let main = SimulationMainExecutor(PlatformExecutorFactory.mainExecutor)
    static let global = SimulationGlobalExecutor(PlatformExecutorFactory.defaultExecutor)

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
  }

  /// Called once, while the process is loaded.
  @_cdecl("errand_simulation_install")
  public func installSimulationExecutors() { _createExecutors(factory: SimulationExecutors.self) }
#endif
