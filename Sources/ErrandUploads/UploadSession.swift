package import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One resumable upload, over any number of attempts. `run` makes one attempt, so that its caller decides when to make
/// another.
package final class UploadSession: Sendable {
  /// Stores the record of the upload, or removes it if the record is nil. The bytes that follow wait for its end.
  package typealias Keep = @Sendable (UploadRecord?) async throws -> Void

  private struct State {
    var upload: UploadState
    var record: UploadRecord?
    /// The upload's content when its first attempt began.
    var identity: UploadRecord.Identity?
    /// The store that is under way, which the next one waits for.
    var keeping: Task<Void, any Error>?
    var digest: Data?
    /// The response to the last append that may be that of the complete upload.
    var held: Response?
    /// The response that `UploadState` was asked about last.
    var last: Response?
  }

  private let call: CompositeCall
  private let source: UploadSource
  private let options: UploadResumption
  private let date: @Sendable () -> Date
  private let keep: Keep?
  private let check: (@Sendable () throws -> Void)?
  private let allowsOtherOrigins: Bool?
  private let state: Locked<State>
  private let rules: UploadState.Rules

  /// - Parameters:
  ///   - call: The call that sends the requests of the upload.
  ///   - record: The record of an earlier attempt; nil for none. It is not used if it is about other content, or
  ///     another URL.
  ///   - keep: Stores the record; nil to resume only within this session.
  ///   - check: Throws if no further request may be sent. Default: nil, each may be sent.
  ///   - allowsOtherOrigins: True if the server may keep the upload at another origin; nil to ask the redirect policy.
  package init(
    _ call: CompositeCall, _ source: UploadSource, _ options: UploadResumption, record: UploadRecord?,
    date: @escaping @Sendable () -> Date, keep: Keep?, check: (@Sendable () throws -> Void)? = nil,
    allowsOtherOrigins: Bool? = nil
  ) {
    (self.call, self.source, self.options) = (call, source, options)
    (self.date, self.keep, self.check) = (date, keep, check)
    self.allowsOtherOrigins = allowsOtherOrigins
    rules = UploadState.Rules(
      length: source.length, mayRepeat: call.mayRepeat, choice: options.choice,
      pieceLimit: options.maxRequestSize.map { max(1, $0) })
    state = Locked(State(upload: UploadState(rules), record: record))
  }

  /// True if the server has an upload that another attempt can continue.
  package var canResume: Bool { state.withLock { $0.upload.resource != nil } }

  /// True if the last request was for an upload that the server keeps at another origin.
  package var wentElsewhere: Bool {
    let (asked, resource) = state.withLock { ($0.upload.asked, $0.upload.resource) }
    switch asked {
    case .nothing, .create: return false
    case .offset, .append:
      let request = resource.flatMap {
        try? call.request(.head, to: $0.url, allowsOtherOrigins: allowsOtherOrigins)
      }
      return request.map { $0.originName != call.request.originName } ?? false
    }
  }

  /// The highest number of bytes that the server has confirmed.
  package var confirmed: Int64 { state.withLock { $0.upload.best } }

  /// Returns a digest of the method and the URL of a request, by which records of other uploads are not used.
  package static func target(of request: Request) -> String {
    "\(SHA256Digest(hashing: Data("\(request.method) \(request.urlText)".utf8)))"
  }

  // MARK: An attempt

  /// Makes one attempt: continues the upload that is known, or creates one. The record of a complete upload is kept until
  /// `forget`.
  /// - Parameter attempt: The number of the attempt, from 1, for progress reports.
  /// - Returns: The response to the whole upload, which the request's validator has accepted.
  /// - Throws: `RequestError`. A later attempt may continue if it is none of `uploadFailed`, `fileChanged` or a
  ///   rejection that is not retried.
  package func run(attempt: Int) async throws -> Response {
    var step = try await begin()
    while true {
      switch step {
      case .create(let piece, let dialect):
        step = try await perform(try await creation(piece, dialect), piece, attempt: attempt)
      case .askOffset:
        var request = try resourceRequest(.head)
        request.fields.set("Cache-Control", "no-store")
        step = try await perform(request, nil, attempt: attempt)
      case .append(let piece):
        try await source.prepare(piece.start)
        call.tell(attempt: attempt, sent: piece.start, of: source.length)
        step = try await perform(try await append(piece), piece, attempt: attempt)
      case .finish(let isEarlier): return try await finish(isEarlier: isEarlier)
      case .respond, .retryLater: return try await rejected()
      case .fail(let failure): throw try await failed(failure)
      }
    }
  }

  /// Removes from the server what has arrived, and the record.
  package func remove() async throws {
    if state.withLock({ $0.upload.resource == nil }) { _ = try await begin() }
    guard canResume else { return }
    let response = try await call.send(
      accepting(try resourceRequest(.delete)), attempt: 0, after: nil, of: source.length)
    guard response.status.isSuccess || [404, 410].contains(response.status.code) else {
      _ = try call.request.validated(response)
      return
    }
    try await store(nil)
  }

  /// Removes the record of an upload that is complete.
  package func forget() async throws { try await store(nil) }

  private func begin() async throws -> UploadState.Step {
    let identity = try source.identity()
    let target = Self.target(of: call.request)
    let (step, isStale, hasChanged) = state.withLock { state -> (UploadState.Step, Bool, Bool) in
      if let first = state.identity, first != identity { return (.respond, false, true) }
      let isFirst = state.identity == nil
      state.identity = identity
      let record = state.record
      let isUsable = record?.identity == identity && record?.target == target && isSpoken(record?.dialect)
      guard isFirst, let record, isUsable else {
        // The state continues with the upload of the attempt before this one.
        if !isUsable { state.record = nil }
        return (state.upload.begin(with: nil), isFirst && record != nil && !isUsable, false)
      }
      state.digest = record.digest
      let resource = UploadState.Resource(
        url: record.resource, dialect: record.dialect, confirmed: record.confirmed, limits: record.limits,
        expires: record.expires)
      return (
        state.upload.begin(
          with: resource, mayBeComplete: record.mayBeComplete, pieceLimit: record.pieceLimit), false, false
      )
    }
    if hasChanged {
      throw RequestError(
        .fileChanged, message: "the content changed since the upload began; upload it when it is complete",
        reachedServer: false)
    }
    if isStale { try await store(nil) }
    return step
  }

  private func isSpoken(_ dialect: UploadDialect?) -> Bool {
    switch (options.choice, dialect) {
    case (_, nil), (.never, _), (.ietf, .tus), (.tus, .ietf): false
    default: true
    }
  }

  private func perform(_ request: Request, _ piece: UploadPiece?, attempt: Int) async throws
    -> UploadState.Step
  {
    try check?()
    let response: Response
    do {
      response = try await call.send(
        accepting(request), attempt: attempt, after: piece?.start, of: source.length)
    } catch is UploadStop {
      try await settleKeeping()
      let step = state.withLock { $0.upload.stopped() }
      try await storeProgress()
      return step
    } catch {
      try await settleKeeping()
      throw error
    }
    try await settleKeeping()
    let facts = UploadFacts(response.head, body: response.data, date: date())
    let step = state.withLock { state -> UploadState.Step in
      state.last = response
      if case .append = state.upload.asked { state.held = response }
      return state.upload.responded(facts)
    }
    try await storeProgress()
    return step
  }

  // MARK: Requests

  /// Returns a request that accepts every status, because this session decides about them.
  private func accepting(_ request: Request) -> Request {
    var request = request
    request.options.validator = ResponseValidator()
    return request.acceptingAnyStatus()
  }

  private func creation(_ piece: UploadPiece, _ dialect: UploadDialect) async throws -> Request {
    var request = call.request
    if options.isVerified, state.withLock({ $0.digest }) == nil {
      let digest = try await source.digest(of: 0..<source.length)
      state.withLock { $0.digest = digest }
    }
    let type = request.fields["Content-Type"] ?? request.body.contentType
    dialect.addFields(ofCreation: piece, length: source.length, to: &request.fields)
    if dialect == .tus {
      request.method = .post
      request.fields.remove(where: { ASCII.lowercased($0.name).hasPrefix("content-") })
      addMetadata(type, to: &request.fields)
      request.body = .bytes(Data())
      request.fields.set("Content-Type", "application/offset+octet-stream")
      return request
    }
    if let digest = state.withLock({ $0.digest }) { request.fields.set("Repr-Digest", Self.field(digest)) }
    if options.choice == .automatic, request.method == .post {
      request.fields.set("Tus-Resumable", "1.0.0")
      addMetadata(type, to: &request.fields)
      if piece.count > 0 { request.fields.set("Expect", "100-continue") }
    }
    request.body = body(piece, type: type)
    return request
  }

  private func addMetadata(_ type: String?, to fields: inout HTTPFields) {
    guard !fields.contains("Upload-Metadata") else { return }
    let pairs = [("filename", source.name ?? "upload"), ("filetype", type ?? "application/octet-stream")]
    fields.set(
      "Upload-Metadata",
      pairs.map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(separator: ","))
  }

  private func append(_ piece: UploadPiece) async throws -> Request {
    var request = try resourceRequest(.patch)
    guard let resource = state.withLock({ $0.upload.resource }) else { throw Self.lost }
    resource.dialect.addFields(ofAppend: piece, to: &request.fields)
    if resource.dialect == .tus, options.isVerified {
      let digest = try await source.digest(of: piece.start..<piece.end)
      request.fields.set("Upload-Checksum", "sha256 \(digest.base64EncodedString())")
    } else if piece.isLast, let digest = state.withLock({ $0.digest }) {
      request.fields.set("Repr-Digest", Self.field(digest))
    }
    request.body = body(piece, type: request.fields["Content-Type"] ?? "application/octet-stream")
    return request
  }

  private static var lost: RequestError {
    RequestError(.uploadFailed, message: "the upload is not known", reachedServer: true)
  }

  private static func field(_ digest: Data) -> String { "sha-256=:\(digest.base64EncodedString()):" }

  /// Returns a request to the upload on the server, without the fields that describe the content.
  private func resourceRequest(_ method: HTTPMethod) throws -> Request {
    guard let resource = state.withLock({ $0.upload.resource }) else { throw Self.lost }
    var request = try call.request(method, to: resource.url, allowsOtherOrigins: allowsOtherOrigins)
    request.fields.remove(where: {
      let name = ASCII.lowercased($0.name)
      return name.hasPrefix("content-") || name.hasPrefix("if-") || name.hasPrefix("upload-")
        || ["expect", "idempotency-key", "range", "repr-digest", "tus-resumable"].contains(name)
    })
    resource.dialect.addVersion(to: &request.fields)
    return request
  }

  // MARK: Bodies

  /// The error that ends a request whose content is too long.
  private struct UploadStop: Error {}

  private func body(_ piece: UploadPiece, type: String?) -> RequestBody {
    guard piece.count > 0 else { return .bytes(Data(), contentType: type ?? "application/octet-stream") }
    let identity = state.withLock { $0.identity }
    let isOptimistic = options.choice == .automatic
    return .source(length: piece.count, contentType: type) {
      [source, weak self] () throws -> any BodyReader in
      let base = try source.open(piece.start)
      var handlers = UploadReader.Handlers()
      handlers.interim = { [weak self] reader, head in self?.takeInterim(head, reader) }
      if piece.end == source.length { handlers.lastByte = { [weak self] reader in self?.goesOut(reader) } }
      if isOptimistic {
        handlers.ends = { head in
          head.fields["Tus-Resumable"] != nil && head.fields["Upload-Offset"] == nil
        }
      }
      return UploadReader(base, count: piece.count, handlers) {
        if let identity, try source.identity() != identity {
          throw RequestError(
            .fileChanged, message: "the upload was stopped: the content changed while it was sent",
            reachedServer: true)
        }
      }
    }
  }

  /// Takes an interim response, on the transport's thread.
  private func takeInterim(_ head: ResponseHead, _ reader: UploadReader) {
    let facts = UploadFacts(head, date: date())
    switch state.withLock({ $0.upload.interim(facts) }) {
    case .none: break
    case .stop: reader.stop(UploadStop())
    case .learned: beginStore(for: reader)
    }
  }

  /// Notes that the last bytes go out, on the transport's thread.
  private func goesOut(_ reader: UploadReader) {
    let mustStore = state.withLock { state in
      state.upload.mayBeComplete = true
      return state.upload.resource != nil
    }
    if mustStore { beginStore(for: reader) }
  }

  // MARK: The record

  /// Stores the record while the reader holds back the bytes.
  private func beginStore(for reader: UploadReader) {
    guard keep != nil else { return }
    reader.hold()
    state.withLock { state in
      let earlier = state.keeping
      state.keeping = Task { [self] in
        do {
          try await earlier?.value
          try await storeProgress()
          reader.release()
        } catch {
          reader.release(error)
          throw error
        }
      }
    }
  }

  /// Waits for the stores that began during a request.
  private func settleKeeping() async throws {
    let keeping = state.withLock { state -> Task<Void, any Error>? in
      defer { state.keeping = nil }
      return state.keeping
    }
    try await keeping?.value
  }

  private func storeProgress() async throws {
    guard keep != nil else { return }
    let (record, isNew) = state.withLock { state -> (UploadRecord?, Bool) in
      let record = present(state)
      return (record, record != state.record)
    }
    if isNew { try await store(record) }
  }

  private func present(_ state: State) -> UploadRecord? {
    guard let resource = state.upload.resource, let identity = state.identity,
      let url = address(resource.url)
    else { return nil }
    return UploadRecord(
      target: Self.target(of: call.request), identity: identity, resource: url, dialect: resource.dialect,
      confirmed: resource.confirmed, mayBeComplete: state.upload.mayBeComplete, limits: resource.limits,
      expires: resource.expires, pieceLimit: state.upload.pieceLimit, digest: state.digest)
  }

  private func store(_ record: UploadRecord?) async throws {
    try await keep?(record)
    state.withLock { $0.record = record }
  }

  // MARK: The end

  private func finish(isEarlier: Bool) async throws -> Response {
    let (last, held, digest) = state.withLock { ($0.last, $0.held, $0.digest) }
    guard let response = (isEarlier ? held ?? last : last).map(whole) else { throw Self.lost }
    do {
      if let digest, let other = UploadFacts(response.head, date: date()).digest, other != digest {
        throw RequestError(
          .integrityFailed, message: "the server received other content than was sent: its SHA-256 differs",
          status: response.status, fields: response.fields, reachedServer: true)
      }
      return try call.request.validated(response)
    } catch {
      try await store(nil)
      throw error
    }
  }

  /// Ends the attempt with the response that was received last.
  private func rejected() async throws -> Response {
    guard let last = state.withLock({ $0.last }).map(whole) else { throw Self.lost }
    return try call.request.validated(last)
  }

  /// Returns the response as that of the caller's request. The URL of the upload is as good as a password.
  private func whole(_ response: Response) -> Response {
    let resource = state.withLock { $0.upload.resource }
    return response.ofCall(to: call.request.url ?? response.url) { field in
      guard ASCII.equalIgnoringCase(field.name, "Location"), let resource else { return false }
      return field.value == resource.url || address(field.value) == address(resource.url)
    }
  }

  /// Returns the absolute URL that the server names; nil if no request may be sent there.
  private func address(_ location: String) -> String? {
    try? call.request(.head, to: location, allowsOtherOrigins: allowsOtherOrigins).urlText
  }

  private func failed(_ failure: UploadState.Failure) async throws -> RequestError {
    let (last, hasUpload) = state.withLock { ($0.last, $0.upload.resource != nil) }
    // The server's upload cannot be completed. Without the record, the next call begins a new one.
    if hasUpload || failure == .outcomeUnknown { try await store(nil) }
    // The upload may not be known any more, so every `Location` counts as its URL.
    let fields = last?.fields.hiding { ASCII.equalIgnoringCase($0.name, "Location") }
    return RequestError(
      failure == .damaged ? .integrityFailed : .uploadFailed, message: failure.message(of: source.length),
      status: last?.status, fields: fields, reachedServer: true, underlying: failure)
  }
}

extension UploadSession {
  /// Removes from the server what has arrived, after the call was cancelled, in a separate call.
  func removeInBackground() {
    guard canResume, let call = try? call.successor(within: .seconds(30)) else { return }
    let session = UploadSession(self, call)
    Task.detached { try? await session.remove() }
  }

  /// Creates a session for the upload of another one.
  private convenience init(_ other: UploadSession, _ call: CompositeCall) {
    self.init(call, other.source, other.options, record: nil, date: other.date, keep: other.keep)
    let upload = other.state.withLock { $0.upload }
    state.withLock { $0.upload = upload }
  }
}
