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

/// Standard input, or a pipe or a device that an option names, as a sequence of chunks. A read can be cancelled.
struct PipedInput: AsyncSequence, Sendable {
  /// The number of bytes that are read before sending. A shorter input has a known length and can be sent again.
  private static let memoryLimit = 1 << 20

  private let file: FileDescriptor
  /// The bytes that have been read already.
  private var first = Data()
  /// Called once if nothing has arrived after two seconds.
  var onSilence: (@Sendable () -> Void)?

  private init(_ file: FileDescriptor) { self.file = file }

  /// Standard input, from its current position.
  static var standard: PipedInput {
    get throws { PipedInput(try FileDescriptor(duplicating: STDIN_FILENO, "standard input")) }
  }

  /// True if a pipe or a file is given as standard input, and not a terminal, a device or nothing.
  static var isGiven: Bool {
    guard let status = try? FileDescriptor(duplicating: STDIN_FILENO, "standard input").status() else {
      return false
    }
    return status.isRegular || status.isPipe
  }

  /// Opens a pipe or a device, such as a named pipe or the `/dev/fd/63` that a shell makes for `<(…)`. Returns
  /// nil for a regular file, which can be read repeatedly, and for a path without a file.
  init?(_ path: String) throws {
    switch try FilePlace(path) {
    case .regular, .folder: return nil
    case .special: self.init(try FileDescriptor(reading: path))
    case .descriptor(let number):
      let file = try FileDescriptor(duplicating: number, path)
      if try file.status().isRegular { return nil }
      self.init(file)
    }
  }

  /// Returns the whole input as a body: in memory if it is at most 1 MiB, else as a stream.
  func body(contentType: String) async throws -> RequestBody {
    let (first, all) = try await beginning()
    guard let all else { return .bytes(first, contentType: contentType) }
    return .stream(all, contentType: contentType)
  }

  /// Returns the first bytes of the input. If more may follow, also returns the whole input including them.
  func beginning() async throws -> (first: Data, all: PipedInput?) {
    var data = Data()
    while data.count < Self.memoryLimit {
      guard let chunk = try await read(data.isEmpty ? onSilence : nil) else { return (data, nil) }
      data.append(chunk)
    }
    var all = self
    all.first = data
    return (data, all)
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let input: PipedInput
    fileprivate var first: Data?

    mutating func next() async throws -> Data? {
      if let first {
        self.first = nil
        if !first.isEmpty { return first }
      }
      return try await input.read()
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: self, first: first) }

  private func read(_ onSilence: (@Sendable () -> Void)? = nil) async throws -> Data? {
    var onSilence = onSilence
    let began = ContinuousClock.now
    while let piece = try file.nextPiece() {
      if !piece.isEmpty { return piece }
      if let tell = onSilence, .now - began >= .seconds(2) {
        tell()
        onSilence = nil
      }
      await Task.yield()
    }
    return nil
  }
}

/// Writes long inputs to files, because a stream cannot be stored or read twice.
final class SpooledInput: Sendable {
  private struct State {
    var folder: URL?
    var count = 0
  }

  private let state = Locked(State())

  init() {}

  /// Reads an input to its end, and returns it as a body.
  func body(_ input: PipedInput, contentType: String) async throws -> RequestBody {
    let (first, rest) = try await input.beginning()
    guard let rest else { return .bytes(first, contentType: contentType) }
    let path = try newPath()
    let file = try FileDescriptor(writing: path)
    var length: Int64 = 0
    for try await chunk in rest {
      try file.write(chunk, at: length)
      length += Int64(chunk.count)
    }
    return .file(URL(literalPath: path), contentType: contentType)
  }

  private func newPath() throws -> String {
    let temporary = FileManager.default.temporaryDirectory
    let (folder, number, isNew) = state.withLock { state in
      let isNew = state.folder == nil
      let folder = state.folder ?? temporary.appending(path: "errand-\(UUID().uuidString)")
      state.folder = folder
      state.count += 1
      return (folder, state.count, isNew)
    }
    // Foundation would create the folder with permissions for all users, and restrict them afterwards.
    if isNew { try FileDescriptor.makeFolder(folder.path) }
    return folder.appending(path: "body\(number)").path
  }

  /// Removes the files. Call this once the request is stored or no longer needed.
  func remove() {
    guard let folder = state.withLock({ $0.folder }) else { return }
    try? FileManager.default.removeItem(at: folder)
  }
}
