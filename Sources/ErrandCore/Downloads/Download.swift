import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of one download: written beside its target, moved into place when it is whole. A failure leaves the target
/// as it was. A broken try is gone on with by the next; with `resumes`, by a later call too.
final class Download: Sendable {
  struct State {
    var file: FileDescriptor?
    var sink: FileSink?
    /// What is known of the bytes that are in the file; nil if they are worth nothing.
    var content: PartialContent?
    var length: Int64 = 0
    /// Where the response's bytes end in the file, and how many the whole has, if either was told.
    var end: Int64?
    var total: Int64?
    /// True if this try asked for the rest only.
    var askedForRest = false
    /// True once the call has ended; a transport that was called off may not know yet.
    var isClosed = false
    /// How many write to it.
    var transfers = 0
    /// True once all of it is here and only has to be moved.
    var isCommitting = false
    /// True once a whole response is in the file, and nothing of another.
    var isWhole = false
    /// How many responses have been written to it, one over the other.
    var responses = 0
    /// What its call is called off with.
    var signal: StopSignal?
  }

  /// The try must be made again, for the whole.
  struct AskAgain: Error {}

  let partFile: PartFile
  let resumes: Bool
  private let secrets: Secrets
  var path: String { partFile.path }
  let state = Locked(State())
  private let letGo = Settlement<Void>()

  init(to target: URL, resumes: Bool, secrets: Secrets = .standard) {
    self.secrets = secrets
    self.resumes = resumes
    partFile = PartFile(of: target, resumes: resumes)
  }

  /// One that was called off, as by a newer one, still has the part for a moment, and so has one that is being moved. Must
  /// lie within a transfer, so that the part is let go of.
  /// - Parameter signal: This download's own: it can be called off while it waits.
  func waitForPart(unless signal: StopSignal) async throws {
    guard resumes else { return }
    state.withLock { $0.signal = signal }
    while let other = PartFiles.begin(path, self), other.isEnding {
      try signal.check()
      try await other.letGo.value(unless: signal)
    }
  }

  private var isEnding: Bool {
    let (isCommitting, signal) = state.withLock { ($0.isCommitting, $0.signal) }
    return isCommitting || signal?.isOver == true
  }

  func letGoOfPart() {
    PartFiles.end(path, self)
    letGo.settle(.success(()))
  }

  /// Opens the file and asks for what is missing.
  func prepare(_ request: Request) throws -> Request {
    var request = request
    try Self.wrap { () throws(FileError) in try openOnce() }
    if !request.fields.contains("Accept-Encoding") { request.fields.append("Accept-Encoding", "identity") }
    state.withLock { state in
      state.askedForRest = false
      guard let content = state.content, state.length > 0, state.length < content.total ?? .max,
        content.url == name(request),
        !request.fields.contains("Range"), request.method == .get
      else { return }
      state.askedForRest = true
      request.fields.append("Range", "bytes=\(state.length)-")
      request.fields.append("If-Range", content.validator)
    }
    return request
  }

  func openOnce() throws(FileError) {
    guard state.withLock({ $0.file == nil }) else { return }
    // If it is another's, it cannot be opened.
    if resumes { _ = PartFiles.begin(path, self) }
    let file = try partFile.open()
    let length = try file.length()
    let memo = resumes ? partFile.readMemo() : nil
    state.withLock { state in
      state.file = file
      state.content = memo
      state.length = memo == nil ? 0 : length
    }
  }

  /// What the memo calls a URL: without its secrets, which do not belong on a disk.
  private func name(_ request: Request) -> String { request.address.shown(hiding: secrets) }

  /// Where the body of an answer goes that passed validation, and how many bytes are there already.
  func sink(for head: ResponseHead, of request: Request) throws -> (
    sink: FileSink, start: Int64, total: Int64?
  ) {
    let (file, content, length, asked) = state.withLock { ($0.file, $0.content, $0.length, $0.askedForRest) }
    let isClosed = state.withLock { state in
      state.isWhole = false
      state.responses += 1
      return state.isClosed
    }
    guard let file, !isClosed else { throw CancellationError() }
    var start: Int64 = 0
    var (end, total): (Int64?, Int64?)
    switch asked ? content?.decide(head, after: length) : nil {
    case .append(let last, let whole): (start, end, total) = (length, last, whole)
    case .askAgain: throw AskAgain()
    case .startOver, nil:
      total = try ContentRange.expectedLength(head, of: request)
      end = total
    }
    let now = PartialContent(url: name(request), head: head)
    try Self.wrap { () throws(FileError) in
      // The memo of the old bytes goes before the bytes do, and that of the new comes before they do.
      if start == 0 { partFile.removeMemo() }
      try file.truncate(to: start)
    }
    if resumes, start == 0, let now { partFile.writeMemo(now) }
    let sink = FileSink(file: file, offset: start)
    state.withLock { state in
      state.sink = sink
      state.content = start > 0 ? content : now
      (state.length, state.end, state.total) = (start, end, total)
    }
    return (sink, start, total)
  }

  /// True if the last try asked for the rest only.
  var hasAskedForRest: Bool { state.withLock { $0.askedForRest } }

  /// A 416, or a 206 that fits nothing: what is here is worth nothing.
  func mustAskAgain(_ head: ResponseHead) -> Bool {
    state.withLock { $0.askedForRest } && head.status == 416
  }

  func forgetPart() {
    state.withLock { state in
      state.content = nil
      state.length = 0
    }
  }

  /// Waits until all that came is in the file. Called after every try, good or bad.
  func settle() async throws {
    guard let sink = state.withLock({ $0.sink }) else { return }
    state.withLock { $0.sink = nil }
    do throws(FileError) {
      let length = try await sink.finish()
      state.withLock { $0.length = length }
    } catch {
      throw Self.unwritable(error)
    }
  }

  /// Fails unless all of it is here, whatever the transport says: a server may send less than it was asked for, or
  /// announced.
  func checkWhole() throws {
    let (length, end, total) = state.withLock { ($0.length, $0.end, $0.total) }
    if let end, length > end {
      forgetPart()
      throw RequestError(
        .invalidResponse, message: "the response brought more than the bytes that it announced",
        reachedServer: true)
    }
    guard let total, length < total else { return state.withLock { $0.isWhole = true } }
    throw RequestError(
      .connectionLost, message: "the response ended after \(length) of \(total) bytes of the file",
      reachedServer: true)
  }

  /// The file while it waits for the last word of validation. Each response that is written there has a URL of its own, so
  /// that one which was written over is not taken for the one that is there.
  var part: URL {
    let file = URL(filePath: path)
    return URL(string: "\(file.absoluteString)#\(state.withLock { $0.responses })") ?? file
  }
  var length: Int64 { state.withLock { $0.length } }

  static func wrap<Result>(_ body: () throws(FileError) -> Result) throws(RequestError) -> Result {
    do { return try body() } catch { throw unwritable(error) }
  }

  static func unwritable(_ error: FileError) -> RequestError {
    RequestError(
      .fileUnwritable, message: "the file to download to cannot be written: \(error)", reachedServer: true,
      underlying: error)
  }
}
