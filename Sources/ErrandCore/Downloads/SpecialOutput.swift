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

/// A target that cannot be replaced: a pipe, a device, or a descriptor of this process. It gets the bytes of a whole file.
struct SpecialOutput: Sendable {
  enum Target: Sendable {
    case path(String)
    case descriptor(Int32)
  }

  let target: Target
  /// Names the target in errors.
  let path: String

  /// How long a wait in the system lasts until the cancellation is looked at, in milliseconds.
  private static let patience: Int32 = 20
  /// A pipe that can be written to has room for this many bytes, so that no write blocks.
  private static let pieceSize = 4096

  /// Writes the whole of a file. Returns when the target has it all, which may be whenever another program reads it.
  /// The cancellation of the task ends the wait.
  func copy(_ file: FileDescriptor) async throws {
    let isCancelled = Locked(false)
    let copied = Promise<Void>()
    // Not on a queue: its thread would be shared, and waits for as long as the reader of a pipe likes.
    let hasThread = SystemThread.start {
      copied.settle(
        Result {
          try copyNow(file) { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
        })
    }
    guard hasThread else { throw FileError(.write, path, "the system has no thread to write it") }
    try await withTaskCancellationHandler {
      try await copied.settled().get()
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func copyNow(_ file: FileDescriptor, _ check: () throws -> Void) throws {
    // A pipe without a reader must not end the process. The thread ends, and a pending signal with it.
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
        // Without a reader, a named pipe would block here.
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
  /// Writes bytes at the file's own position, and waits until it takes them.
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
