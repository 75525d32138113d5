#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A target that cannot be replaced: a pipe, a device, or a descriptor of this process. It gets the bytes of
/// a complete file.
struct SpecialOutput: Sendable {
  enum Target: Sendable {
    case path(String)
    case descriptor(Int32)
  }

  let target: Target
  /// The target's name in errors.
  let path: String

  /// How long a wait in the system lasts before the cancellation is checked, in milliseconds.
  private static let patience: Int32 = 20
  /// The size of a write. A pipe that is ready accepts this many bytes, so that no write blocks.
  private static let pieceSize = 4096

  /// Writes a whole file. Returns when the target has all of it, which depends on the program that reads it.
  /// Cancelling the task ends the wait.
  func copy(_ file: FileDescriptor) async throws {
    let isCancelled = Locked(false)
    let copied = Promise<Void>()
    // A dedicated thread, because a queue's thread would be shared, and this one waits for as long as the
    // reader of a pipe likes.
    let hasThread = SystemThread.start {
      copied.settle(
        Result {
          try copyNow(file) { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
        })
    }
    guard hasThread else { throw FileError(.write, path, "the system cannot start a thread to write it") }
    try await withTaskCancellationHandler {
      try await copied.settled().get()
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func copyNow(_ file: FileDescriptor, _ check: () throws -> Void) throws {
    // A pipe without a reader must not end the process. The signal is blocked on this thread only, and ends
    // with it.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let source = try FileDescriptor(reading: file.path)
    let output = try opened(check)
    var offset: Int64 = 0
    while case let piece = try source.read(Self.pieceSize * 16, at: offset), !piece.isEmpty {
      try output.append(piece, pieceSize: Self.pieceSize, patience: Self.patience, check)
      offset += Int64(piece.count)
    }
  }

  private func opened(_ check: () throws -> Void) throws -> FileDescriptor {
    switch target {
    case .descriptor(let number): return try FileDescriptor(duplicating: number, path)
    case .path(let place):
      while true {
        // Without these flags, a named pipe without a reader would block here.
        let raw = unsafe open(place, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if raw >= 0 { return FileDescriptor(raw, path) }
        let error = FileError(.open, path)
        guard error.systemCode == ENXIO, FileDescriptor.status(of: place)?.isPipe == true else { throw error }
        try check()
        usleep(UInt32(Self.patience) * 1000)
      }
    }
  }
}

extension FileDescriptor {
  /// Writes bytes at the file's current position, and waits until the file accepts them.
  fileprivate func append(
    _ data: Data, pieceSize: Int, patience: Int32, _ check: () throws -> Void
  ) throws {
    var rest = data
    while !rest.isEmpty {
      try check()
      var entry = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
      if unsafe poll(&entry, 1, patience) == 0 { continue }
      let count = unsafe rest.prefix(pieceSize).withUnsafeBytes { bytes in
        unsafe systemWrite(raw, bytes.baseAddress, bytes.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        throw FileError(.write, path)
      }
    }
  }
}

private func systemWrite(_ raw: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(raw, bytes, count)
}
