#if os(Linux)
  import CSimulation
  import ErrandCore
  import Foundation

  /// One of the shared threads, and its present job.
  final class WatchedThread: Sendable {
    private struct State {
      var thread = pthread_t()
      var began: ContinuousClock.Instant?
      var frames: [UInt] = []
    }

    /// The thread is asked for a backtrace after this time.
    private static let suspicion = Duration.milliseconds(40)
    private static let limit = Duration.milliseconds(50)

    private let log: WatchLog
    private let state = Locked(State())

    init(_ log: WatchLog) { self.log = log }

    /// Call this on the thread itself.
    func begin() { state.withLock { $0.thread = pthread_self() } }

    /// Runs a job, on the thread itself.
    func run(_ job: () -> Void) {
      let (began, waited) = (ContinuousClock.now, errand_watch_waited())
      state.withLock { $0.began = began }
      job()
      let frames = state.withLock { state in
        state.began = nil
        defer { state.frames = [] }
        return state.frames
      }
      let length = ContinuousClock.now - began
      let held = length - .nanoseconds(errand_watch_waited() - waited)
      if held > Self.limit { log.add(held, of: length, frames) }
    }

    /// Call this from another thread: requests a backtrace of this one if its job has run for a long time.
    func look() {
      let (thread, began) = state.withLock { ($0.thread, $0.frames.isEmpty ? $0.began : nil) }
      guard let began, ContinuousClock.now - began > Self.suspicion else { return }
      let frames = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 100) { buffer in
        let count = errand_watch_frames(thread, buffer.baseAddress, Int32(buffer.count))
        return buffer.prefix(Int(count)).map { UInt(bitPattern: $0) }
      }
      state.withLock { if $0.began == began { $0.frames = frames } }
    }
  }

  /// The report on the jobs that took too long.
  final class WatchLog: Sendable {
    private let file: Locked<FileHandle>

    init(_ file: FileHandle) { self.file = Locked(file) }

    func add(_ held: Duration, of length: Duration, _ frames: [UInt]) {
      file.withLock { file in
        let text = "held for \(held.wholeMilliseconds) of \(length.wholeMilliseconds) ms, in\n"
        file.write(Data(text.utf8))
        let pointers = frames.map { UnsafeMutableRawPointer(bitPattern: $0) }
        errand_watch_write(pointers, Int32(pointers.count), file.fileDescriptor)
        file.write(Data("\n".utf8))
      }
    }
  }
#endif
