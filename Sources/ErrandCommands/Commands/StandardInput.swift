import ErrandCore

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

/// Standard input as a sequence of chunks. Waiting for it can be cancelled.
struct StandardInput: AsyncSequence, Sendable {
  /// The number of bytes that are read before sending: a shorter input has a known length and can be sent
  /// again.
  private static let memoryLimit = 1 << 20
  private static let chunkSize = 64 << 10

  /// The bytes that have been read already.
  private let first: Data

  /// Returns the whole input as a body: in memory if it is short, else streamed.
  static func body(contentType: String) async throws -> Body {
    let (first, all) = try await beginning()
    guard let all else { return .bytes(first, contentType: contentType) }
    return .stream(all, contentType: contentType)
  }

  /// The input from its current position on.
  static let rest = StandardInput(first: Data())

  /// Returns the bytes that fit into memory and, if there is more, the whole input including them.
  static func beginning() async throws -> (first: Data, all: StandardInput?) {
    var data = Data()
    while data.count < memoryLimit {
      guard let chunk = try await read() else { return (data, nil) }
      data.append(chunk)
    }
    return (data, StandardInput(first: data))
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var first: Data?

    mutating func next() async throws -> Data? {
      if let first {
        self.first = nil
        return first
      }
      return try await StandardInput.read()
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(first: first) }

  private static func read() async throws -> Data? {
    while true {
      try Task.checkCancellation()
      var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      // The timeout is short because `poll` blocks a thread of the pool, and cancellation waits for it.
      if poll(&entry, 1, 20) == 0 {
        await Task.yield()
        continue
      }
      var buffer = [UInt8](repeating: 0, count: chunkSize)
      let count = systemRead(&buffer)
      if count > 0 { return Data(buffer[..<count]) }
      if count == 0 { return nil }
      if errno != EINTR, errno != EAGAIN { throw FileError(.read, "standard input") }
    }
  }
}

private func systemRead(_ buffer: inout [UInt8]) -> Int {
  read(STDIN_FILENO, &buffer, buffer.count)
}

/// Writes standard input to a file if it is too long for memory, because a stream cannot be stored.
final class SpooledInput: Sendable {
  private let folder = Locked<URL?>(nil)

  init() {}

  /// Reads standard input to its end, and returns it as a body.
  func body(contentType: String) async throws -> Body {
    let (first, rest) = try await StandardInput.beginning()
    guard let rest else { return .bytes(first, contentType: contentType) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
    // Foundation would create the folder with permissions for all users, and restrict them afterwards.
    try FileDescriptor.makeFolder(folder.path)
    self.folder.withLock { $0 = folder }
    let path = folder.appending(path: "body").path
    let file = try FileDescriptor(writing: path)
    var length: Int64 = 0
    for try await chunk in rest {
      try file.write(chunk, at: length)
      length += Int64(chunk.count)
    }
    return .file(URL(filePath: path), contentType: contentType)
  }

  /// Removes the file. Call this once the request is stored, or not needed any more.
  func remove() {
    guard let folder = folder.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(at: folder)
  }
}
