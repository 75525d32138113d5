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

/// Standard input, chunk by chunk. Waiting for it can be cancelled.
struct StandardInput: AsyncSequence, Sendable {
  /// Up to so much is read before it is sent: then its length is known, and it can be sent again.
  private static let memoryLimit = 1 << 20
  private static let chunkSize = 64 << 10

  /// What has been read already.
  private let first: Data

  /// All of it as a body: in memory if it is short, else streamed.
  static func body(contentType: String) async throws -> Body {
    let (first, all) = try await beginning()
    guard let all else { return .bytes(first, contentType: contentType) }
    return .stream(all, contentType: contentType)
  }

  /// All of it, from here on.
  static let rest = StandardInput(first: Data())

  /// What fits into memory; and all of it, with that, if there is more.
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
      // Short, for it holds a thread that others may need, and cancelling waits for it.
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
