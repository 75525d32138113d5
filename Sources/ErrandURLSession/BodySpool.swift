import Dispatch
import ErrandCore
import Foundation

/// Reads a body to its end: into memory, and beyond a limit into a temporary file.
final class BodySpool: Sendable {
  private struct State {
    var memory = Data()
    /// The temporary file, which is removed with the spool unless it was passed on.
    var file: (url: URL, handle: FileHandle)?
  }

  private let reader: any BodyReader
  private let memoryLimit: Int
  private let moved: @Sendable () -> Bool
  private let done: @Sendable (Result<UploadSource, any Error>) -> Void
  private let queue = DispatchQueue(label: "errand.spool")
  // Used on `queue` only.
  nonisolated(unsafe) private let room = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 256 << 10, alignment: 16)
  private let state = Locked(State())
  private let folder: URL

  init(
    _ reader: any BodyReader, memoryLimit: Int, folder: URL = FileManager.default.temporaryDirectory,
    moved: @escaping @Sendable () -> Bool,
    then done: @escaping @Sendable (Result<UploadSource, any Error>) -> Void
  ) {
    self.reader = reader
    self.memoryLimit = memoryLimit
    self.folder = folder
    self.moved = moved
    self.done = done
  }

  deinit {
    room.deallocate()
    // The spool of a body that is cancelled while it waits for more bytes ends here.
    if let file = state.withLock({ $0.file?.url }) { try? FileManager.default.removeItem(at: file) }
  }

  func run() {
    // Only the reader's callback retains the spool, so closing the reader releases it.
    reader.onReady { self.queue.async { self.read() } }
    queue.async { self.read() }
  }

  private func read() {
    do {
      while true {
        switch try reader.fill(room) {
        case .notYet: return
        case .bytes(let count):
          try keep(UnsafeRawBufferPointer(rebasing: room[..<count]))
          if !moved() { throw CancellationError() }
        case .end: return try finish()
        }
      }
    } catch {
      end(.failure(error))
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws {
    try state.withLock { state in
      if let file = state.file { return try file.handle.write(contentsOf: bytes) }
      state.memory.append(contentsOf: bytes)
      guard state.memory.count > memoryLimit else { return }
      let url = folder.appending(path: "errand-\(UUID().uuidString).body")
      // Foundation would first create the file readable for all users, and restrict it afterwards.
      _ = try FileDescriptor(private: url.path)
      guard let handle = FileHandle(forWritingAtPath: url.path) else { throw CocoaError(.fileWriteUnknown) }
      state.file = (url, handle)
      try handle.write(contentsOf: state.memory)
      state.memory = Data()
    }
  }

  private func finish() throws {
    let source: UploadSource = try state.withLock { state in
      guard let file = state.file else { return .bytes(state.memory) }
      try file.handle.close()
      state.file = nil
      return .file(file.url)
    }
    end(.success(source))
  }

  private func end(_ result: Result<UploadSource, any Error>) {
    reader.onReady {}
    done(result)
  }
}
