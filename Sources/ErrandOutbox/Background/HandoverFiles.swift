import Dispatch
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files with the bodies of requests that a background session has. They are in `handed` in the outbox's
/// folder, and only this user can read them. Each is named after its attempt.
struct HandoverFiles: Sendable {
  let folder: String
  let work: FileWork

  init(in outbox: String, work: FileWork) {
    folder = "\(outbox)/handed"
    self.work = work
  }

  private func path(_ lease: Lease) -> String { "\(folder)/\(lease.number)" }

  /// Writes a body, and flushes it. Without the flush, a session might send a part of the body as the whole
  /// after a loss of power.
  /// - Returns: The file and its length; nil for a request without a body.
  /// - Throws: `OutboxError`, or the error of the body.
  func write(_ upload: Upload, for lease: Lease) async throws -> (file: URL, length: Int64)? {
    if case .none = upload { return nil }
    let path = path(lease)
    return try await work.perform { [self] in
      do {
        try FileDescriptor.makeFolders(folder)
        FileDescriptor.remove(path)
        let file = try FileDescriptor(private: path)
        let length = try copy(upload, to: file)
        try file.flush()
        try FileDescriptor.flushFolder(folder)
        return (URL(literalPath: path), length)
      } catch let error as FileError {
        FileDescriptor.remove(path)
        throw OutboxError.unwritable(error)
      } catch {
        FileDescriptor.remove(path)
        throw error
      }
    }
  }

  private func copy(_ upload: Upload, to file: FileDescriptor) throws -> Int64 {
    switch upload {
    case .none: return 0
    case .bytes(let data):
      try file.write(data, at: 0)
      return Int64(data.count)
    case .reader(let reader): return try copy(reader, to: file)
    }
  }

  private func copy(_ reader: any BodyReader, to file: FileDescriptor) throws -> Int64 {
    let isReady = DispatchSemaphore(value: 0)
    reader.onReady { isReady.signal() }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var length: Int64 = 0
    while true {
      switch try reader.fill(buffer) {
      case .bytes(let count):
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: length)
        length += Int64(count)
      // Waiting is safe: this work has a thread of the queue to itself.
      case .notYet: isReady.wait()
      case .end: return length
      }
    }
  }

  func remove(_ lease: Lease) async {
    let path = path(lease)
    try? await work.perform { FileDescriptor.remove(path) }
  }

  /// Removes the files of all other attempts: the processes that made them have ended.
  func sweep(keeping leases: Set<Lease>) async {
    let kept = Set(leases.map { "\($0.number)" })
    try? await work.perform { [folder] in
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where Int64(name) != nil && !kept.contains(name) {
        FileDescriptor.remove("\(folder)/\(name)")
      }
    }
  }
}
