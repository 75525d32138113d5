import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of one download. It is written beside its target, and moved into place when it is complete. A
/// failure leaves the target as it was. The next attempt resumes a broken download; with `resumes`, a later
/// call does, too.
final class Download: Sendable {
  struct State {
    var file: FileDescriptor?
    var sink: FileSink?
    /// A description of the bytes in the file; nil if they cannot be resumed.
    var content: PartialContent?
    var length: Int64 = 0
    /// The length of the whole file, if known.
    var total: Int64?
    /// True if this attempt asked only for the rest.
    var askedForRest = false
    /// True once the call has ended. A cancelled transport may not have stopped yet.
    var isClosed = false
    /// The number of transfers that write to the file.
    var transfers = 0
    /// True once the file is complete and is being moved.
    var isCommitting = false
    /// True while the file contains exactly one complete response.
    var isWhole = false
    /// The number of responses that have been written to the file, each over the previous one.
    var responses = 0
    /// The cancellation of this download's call.
    var cancellation: CancellationToken?
  }

  /// The error of an attempt that must be repeated, for the whole file.
  struct AskAgain: Error {}

  let partFile: PartFile
  let resumes: Bool
  /// True if the request asks only for a newer version, so that a 304 is accepted.
  let isConditional: Bool
  /// The target, if it is written to instead of being replaced.
  let output: SpecialOutput?
  let limit: Int64?
  private let secrets: Secrets
  var path: String { partFile.path }
  let state = Locked(State())
  private let letGo = Promise<Void>()

  /// - Parameter limit: The maximum size of the file in bytes; nil for no limit.
  init(
    to target: URL, resumes: Bool, isConditional: Bool = false, limit: Int64? = nil,
    output: SpecialOutput? = nil,
    secrets: Secrets = .standard
  ) {
    self.output = output
    self.limit = limit
    self.secrets = secrets
    self.resumes = resumes
    self.isConditional = isConditional
    partFile = PartFile(of: target, resumes: resumes)
  }

  /// Creates a download to the place that a path leads to. A symbolic link stays, and its target is replaced.
  /// A pipe, a device or a descriptor is written to at the end; until then, the bytes are in the folder for
  /// temporary files.
  /// - Throws: `RequestError`, if no file can be written there.
  static func at(
    _ file: URL, resumes: Bool, isConditional: Bool = false, limit: Int64?, secrets: Secrets
  ) throws(RequestError) -> Download {
    let path = file.path
    let place: FilePlace
    do { place = try FilePlace(path) } catch { throw unwritable(error, reachedServer: false) }
    let target: SpecialOutput.Target
    switch place {
    case .regular(let path):
      return Download(
        to: URL(literalPath: path), resumes: resumes, isConditional: isConditional, limit: limit,
        secrets: secrets)
    case .folder: throw unwritable(FileError(.create, path, "it is a folder"), reachedServer: false)
    case .special(let path): target = .path(path)
    case .descriptor(let number): target = .descriptor(number)
    }
    return Download(
      to: FileManager.default.temporaryDirectory.appending(path: "errand"), resumes: false, limit: limit,
      output: SpecialOutput(target: target, path: path), secrets: secrets)
  }

  /// Waits until another download releases the part file, if that download was cancelled (by a newer one, for
  /// instance) or is being moved. Must be called within a transfer, so that the part file is released at the
  /// end.
  /// - Parameter cancellation: The cancellation of this download, which ends the wait.
  func waitForPart(unless cancellation: CancellationToken) async throws {
    guard resumes else { return }
    state.withLock { $0.cancellation = cancellation }
    while let other = PartFiles.begin(path, self), other.isEnding {
      try cancellation.check()
      try await other.letGo.value(unless: cancellation)
    }
  }

  private var isEnding: Bool {
    let (isCommitting, cancellation) = state.withLock { ($0.isCommitting, $0.cancellation) }
    return isCommitting || cancellation?.isOver == true
  }

  func letGoOfPart() {
    PartFiles.end(path, self)
    letGo.settle(.success(()))
  }

  /// Opens the file and asks for the missing bytes.
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
    // If another download has the part file, opening it fails.
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

  /// Returns the URL for the memo without its secrets, which are not written to disk.
  private func name(_ request: Request) -> String { request.address.shown(hiding: secrets) }

  /// The place of a response's body in the file.
  struct Place {
    let sink: FileSink
    /// The number of bytes that are already in the file.
    let start: Int64
    /// The length of the body; nil if it is not known. `total` is the length of the whole file; nil if it is
    /// not known.
    let length: Int64?
    let total: Int64?
  }

  /// Returns the place for the body of a response that passed validation.
  /// - Parameter length: The length of the body as it is written to the file; nil if it is not known.
  /// - Throws: `AskAgain`, if the request asked for the rest and the response is neither the rest nor the
  ///   whole; `RequestError`.
  func place(_ head: ResponseHead, of request: Request, length: Int64?) throws -> Place {
    let (file, content, before) = state.withLock { ($0.file, $0.content, $0.length) }
    let isClosed = state.withLock { state in
      state.isWhole = false
      state.responses += 1
      return state.isClosed
    }
    guard let file, !isClosed else { throw CancellationError() }
    var start: Int64 = 0
    var (length, total) = (length, length)
    switch hasAskedForRest ? content?.decide(head, after: before) : nil {
    case .append(let end, let whole): (start, length, total) = (before, end - before, whole)
    case .askAgain: throw AskAgain()
    case .startOver, nil: break
    }
    if let total, let limit, total > limit { throw Self.tooLarge(limit, head) }
    let now = PartialContent(url: name(request), head: head)
    try Self.wrap { () throws(FileError) in
      // The memo of the old bytes is removed before the bytes, and the new memo is written before the new
      // bytes.
      if start == 0 { partFile.removeMemo() }
      try file.truncate(to: start)
    }
    if resumes, start == 0, let now { partFile.writeMemo(now) }
    let sink = sink(file, from: start, head)
    state.withLock { state in
      state.sink = sink
      state.content = start > 0 ? content : now
      (state.length, state.total) = (start, total)
    }
    return Place(sink: sink, start: start, length: length, total: total)
  }

  func sink(_ file: FileDescriptor, from start: Int64, _ head: ResponseHead?) -> FileSink {
    let limit = limit.map { FileSink.Limit(bytes: $0, error: Self.tooLarge($0, head)) }
    return FileSink(file: file, offset: start, limit: limit)
  }

  private static func tooLarge(_ limit: Int64, _ head: ResponseHead?) -> RequestError {
    RequestError(
      .bodyTooLarge,
      message: "the file has more than the \(limit) bytes that the download allows; raise its limit",
      status: head?.status, fields: head?.fields, reachedServer: true)
  }

  /// True if the last attempt asked only for the rest.
  var hasAskedForRest: Bool { state.withLock { $0.askedForRest } }

  /// Returns true for a 416: the bytes in the file cannot be resumed. (`place` detects a part that does not
  /// fit.)
  func mustAskAgain(_ head: ResponseHead) -> Bool {
    state.withLock { $0.askedForRest } && head.status == 416
  }

  func forgetPart() {
    state.withLock { state in
      state.content = nil
      state.length = 0
    }
  }

  /// Waits until all received bytes are in the file. Called after every attempt, successful or not.
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

  /// Throws unless the file is complete: a server may send, and announce, less than the requested rest.
  func checkWhole() throws {
    let (length, total) = state.withLock { ($0.length, $0.total) }
    guard let total, length < total else { return state.withLock { $0.isWhole = true } }
    throw RequestError(
      .connectionLost, message: "the response ended after \(length) of \(total) bytes of the file",
      reachedServer: true)
  }

  /// The URL of the file while the response awaits its last validation. Each response that is written there
  /// has a different URL, so that an overwritten one is not taken for the one in the file.
  var part: URL {
    let file = URL(literalPath: path)
    return URL(string: "\(file.absoluteString)#\(state.withLock { $0.responses })") ?? file
  }
  var length: Int64 { state.withLock { $0.length } }

  static func wrap<Result>(_ body: () throws(FileError) -> Result) throws(RequestError) -> Result {
    do { return try body() } catch { throw unwritable(error) }
  }

  static func unwritable(_ error: FileError, reachedServer: Bool = true) -> RequestError {
    RequestError(
      .fileUnwritable, message: "the file to download to cannot be written: \(error)",
      reachedServer: reachedServer, underlying: error)
  }
}
