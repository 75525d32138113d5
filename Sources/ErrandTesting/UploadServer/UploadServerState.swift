import ErrandCore
import ErrandCrypto
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request whose content is stored in an upload.
struct UploadReception: Sendable {
  let number: Int
  /// The path of the upload; nil to discard the content.
  let path: String?
  let fault: UploadServer.Fault
  /// True if the request ends the upload.
  let isLast: Bool
  let dialect: UploadServer.Dialect
  let isCreation: Bool
  /// The expected checksum of the content, of tus.
  let checksum: Data?
  /// The response to a request that belongs to no upload.
  var plain: MockResponse?
}

/// An event of a request with content.
enum UploadReceptionEvent {
  case piece(Data)
  case end
  case lost
}

/// The effect of an event.
enum UploadReceptionEffect {
  case goOn
  case cut
  case stall
  case respond(MockResponse)
}

/// Passes the content of one request to the server's state.
final class UploadTaker: BodyTaker {
  private let reception: UploadReception
  private let tell: @Sendable (UploadReceptionEvent) -> UploadReceptionEffect

  init(
    _ reception: UploadReception, _ tell: @escaping @Sendable (UploadReceptionEvent) -> UploadReceptionEffect
  ) {
    self.reception = reception
    self.tell = tell
  }

  func take(_ piece: Data) -> [ServerAction] {
    switch tell(.piece(piece)) {
    case .goOn, .respond: []
    case .cut: [.reset]
    case .stall: [.stopReading, .stall]
    }
  }

  func end() -> MockResponse {
    switch tell(.end) {
    case .respond(let response): response
    case .goOn, .cut: .reset
    case .stall: .stall
    }
  }

  func lost() { _ = tell(.lost) }
}

/// The rules of an upload server. Pure, except for the digests.
struct UploadServerState {
  enum Outcome {
    case response(MockResponse)
    case receive(UploadReception, interims: [Data])
  }

  /// The request that sends to an upload, and its bytes so far.
  private struct Progress {
    var number: Int
    var count: Int64 = 0
    var bytes = Data()
  }

  /// The SHA-256 of an upload's content so far. Copies of the server's state share it.
  final class Hash: Sendable {
    private let state = Mutex(HashState(.sha256))
    func update(_ data: Data) { state.withLock { $0.update(data) } }
    func finalize() -> Data { state.withLock { Data($0.finalize()) } }
  }

  private let rules: UploadServer.Rules
  var uploads: [UploadServer.Upload] = []
  var hashes: [String: Hash] = [:]
  var faults: [UploadServer.Fault] = []
  var lies: [Int64] = []
  var goneStatus = 404
  var receivedBytes: Int64 = 0
  private var active: [String: Progress] = [:]
  private var lastNumber = 0

  init(_ rules: UploadServer.Rules) { self.rules = rules }

  // MARK: Requests

  mutating func respond(to request: MockRequest, isTarget: Bool) -> Outcome {
    if request.method == "OPTIONS" { return .response(options()) }
    if isTarget { return create(request) }
    guard let index = uploads.firstIndex(where: { $0.path == request.path }) else {
      return .response(.response(status: goneStatus))
    }
    let upload = uploads[index]
    if let problem = versionProblem(request, upload.dialect) { return .response(problem) }
    if active[upload.path] != nil, let status = rules.statusWhenBusy {
      return .response(.response(status: status, fields: version(upload.dialect)))
    }
    switch request.method {
    case .head: return .response(head(upload))
    case .delete:
      uploads.remove(at: index)
      return .response(.response(status: 204, fields: version(upload.dialect)))
    case .patch: return append(request, upload)
    default: return .response(.response(status: 405))
    }
  }

  private func options() -> MockResponse {
    var fields: HTTPFields = ["Accept-Patch": "application/partial-upload"]
    if rules.dialects.contains(.tus) {
      fields.append("Tus-Resumable", "1.0.0")
      fields.append("Tus-Version", "1.0.0")
      fields.append("Tus-Extension", "creation,checksum,expiration,termination")
      fields.append("Tus-Checksum-Algorithm", rules.checksumAlgorithms.joined(separator: ","))
    }
    return .response(status: 204, fields: fields)
  }

  private func version(_ dialect: UploadServer.Dialect) -> HTTPFields {
    switch dialect {
    case .tus: ["Tus-Resumable": "1.0.0"]
    case .ietf(let version): ["Upload-Draft-Interop-Version": "\(version)"]
    }
  }

  private func versionProblem(_ request: MockRequest, _ dialect: UploadServer.Dialect) -> MockResponse? {
    switch dialect {
    case .tus:
      request.fields["Tus-Resumable"] == "1.0.0"
        ? nil : .response(status: 412, fields: ["Tus-Version": "1.0.0"])
    case .ietf(let version):
      request.fields["Upload-Draft-Interop-Version"] == "\(version)"
        ? nil : .response(status: 400, fields: self.version(dialect))
    }
  }

  /// Returns the protocol of a request that creates an upload; nil if it is a plain request.
  private func dialect(of request: MockRequest) -> UploadServer.Dialect? {
    let fields = request.fields
    return rules.dialects.first { dialect in
      switch dialect {
      case .tus:
        fields["Tus-Resumable"] == "1.0.0" && fields.contains("Upload-Length") && request.method == .post
      case .ietf(let version):
        fields["Upload-Draft-Interop-Version"] == "\(version)"
          && fields.contains(version >= 4 ? "Upload-Complete" : "Upload-Incomplete")
      }
    }
  }

  private mutating func create(_ request: MockRequest) -> Outcome {
    let count = request.fields["Content-Length"].flatMap { Int64($0) }
    if let limit = rules.requestLimit, let count, count > limit {
      return .response(.response(status: 413).closing(at: .end))
    }
    let fault = takeFault(for: request)
    if case .status(let status, let retryAfter) = fault { return .response(refusal(status, retryAfter)) }
    guard let dialect = dialect(of: request) else {
      // The server says which version it speaks, so that the client can use it.
      if case .ietf(let version)? = rules.dialects.first,
        request.fields.contains("Upload-Draft-Interop-Version")
      {
        return .response(
          .response(status: 400, fields: ["Upload-Draft-Interop-Version": "\(version)"]).closing(at: .end))
      }
      return receive(
        UploadReception(
          number: next(), path: nil, fault: fault, isLast: true, dialect: .tus, isCreation: true,
          checksum: nil,
          plain: rules.response))
    }
    let isLast = isLast(request.fields, dialect)
    let length = request.fields["Upload-Length"].flatMap { Int64($0) } ?? (isLast ? count : nil)
    if let most = rules.limits.first(where: { $0.key == "max-size" })?.value, let length, length > most {
      return .response(
        .response(status: 413, fields: version(dialect) + limitFields(dialect)).closing(at: .end))
    }
    lastNumber += 1
    let path = "/uploads/\(lastNumber)"
    uploads.append(UploadServer.Upload(path: path, fields: request.fields, length: length, dialect: dialect))
    hashes[path] = Hash()
    guard dialect != .tus else {
      if length == 0 { complete(uploads.count - 1) }
      // tus has no content in this request, unless it says so.
      return .response(
        .response(status: 201, fields: version(.tus) + ["Location": path, "Upload-Expires": Self.expires]))
    }
    var interims: [Data] = []
    if rules.sendsInterims {
      interims.append(
        MockResponse.head(104, version(dialect) + ["Location": path] + limitFields(dialect)))
    }
    if request.fields["Expect"] != nil { interims.append(MockResponse.head(100, [:])) }
    return receive(
      UploadReception(
        number: next(), path: path, fault: fault, isLast: isLast, dialect: dialect, isCreation: true,
        checksum: nil),
      interims)
  }

  private static let expires = "Fri, 31 Dec 2100 23:59:59 GMT"

  private func limitFields(_ dialect: UploadServer.Dialect) -> HTTPFields {
    guard !rules.limits.isEmpty else { return [:] }
    if dialect == .tus {
      return ["Tus-Max-Size": "\(rules.limits.first { $0.key == "max-size" }?.value ?? .max)"]
    }
    return ["Upload-Limit": rules.limits.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")]
  }

  private func isLast(_ fields: HTTPFields, _ dialect: UploadServer.Dialect) -> Bool {
    guard case .ietf(let version) = dialect else { return false }
    return version >= 4 ? fields["Upload-Complete"] == "?1" : fields["Upload-Incomplete"] == "?0"
  }

  private func completeness(_ isComplete: Bool, _ dialect: UploadServer.Dialect) -> HTTPFields {
    guard case .ietf(let version) = dialect else { return [:] }
    return version >= 4
      ? ["Upload-Complete": isComplete ? "?1" : "?0"] : ["Upload-Incomplete": isComplete ? "?0" : "?1"]
  }

  private mutating func head(_ upload: UploadServer.Upload) -> MockResponse {
    // A server that has a new request may end the one before.
    active[upload.path] = nil
    let offset = lies.isEmpty ? upload.offset : lies.removeFirst()
    var fields =
      version(upload.dialect) + completeness(upload.isComplete, upload.dialect) + limitFields(upload.dialect)
    fields.append("Upload-Offset", "\(offset)")
    fields.append("Cache-Control", "no-store")
    if let length = upload.length { fields.append("Upload-Length", "\(length)") }
    return .response(status: upload.dialect == .tus ? 200 : 204, fields: fields)
  }

  private mutating func append(_ request: MockRequest, _ upload: UploadServer.Upload) -> Outcome {
    let fields = request.fields
    let count = fields["Content-Length"].flatMap { Int64($0) }
    if let limit = rules.requestLimit, let count, count > limit {
      return .response(.response(status: 413).closing(at: .end))
    }
    let fault = takeFault(for: request)
    if case .status(let status, let retryAfter) = fault { return .response(refusal(status, retryAfter)) }
    let type =
      upload.dialect == .tus
      ? "application/offset+octet-stream"
      : upload.dialect == .ietf(version: 3) || upload.dialect == .ietf(version: 4)
        || upload.dialect == .ietf(version: 5) ? nil : "application/partial-upload"
    if let type, fields["Content-Type"] != type { return .response(.response(status: 415).closing(at: .end)) }
    guard let offset = fields["Upload-Offset"].flatMap({ Int64($0) }) else {
      return .response(.response(status: 400).closing(at: .end))
    }
    guard offset == upload.offset, !upload.isComplete else {
      var conflict = version(upload.dialect)
      conflict.append("Upload-Offset", "\(upload.offset)")
      return .response(.response(status: 409, fields: conflict).closing(at: .end))
    }
    let checksum = fields["Upload-Checksum"]?.split(separator: " ").last.flatMap {
      Data(base64Encoded: String($0))
    }
    return receive(
      UploadReception(
        number: next(), path: upload.path, fault: fault, isLast: isLast(fields, upload.dialect),
        dialect: upload.dialect, isCreation: false, checksum: checksum))
  }

  private func refusal(_ status: Int, _ retryAfter: Int?) -> MockResponse {
    let fields: HTTPFields = retryAfter.map { ["Retry-After": "\($0)"] } ?? [:]
    return .response(status: status, fields: fields).closing(at: .end)
  }

  private mutating func takeFault(for request: MockRequest) -> UploadServer.Fault {
    guard request.fields["Content-Length"] != "0", !faults.isEmpty else { return .none }
    return faults.removeFirst()
  }

  private mutating func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func receive(_ reception: UploadReception, _ interims: [Data] = []) -> Outcome {
    if let path = reception.path { active[path] = Progress(number: reception.number) }
    return .receive(reception, interims: interims)
  }

  // MARK: Content

  mutating func take(_ event: UploadReceptionEvent, _ reception: UploadReception) -> UploadReceptionEffect {
    guard let path = reception.path else { return takePlain(event, reception) }
    let isActive = active[path]?.number == reception.number
    switch event {
    case .piece(let data):
      receivedBytes += Int64(data.count)
      return isActive ? store(data, path, reception) : .cut
    case .lost:
      if isActive { active[path] = nil }
      return .goOn
    case .end:
      guard isActive else { return .cut }
      defer { active[path] = nil }
      return end(path, reception)
    }
  }

  private mutating func takePlain(
    _ event: UploadReceptionEvent, _ reception: UploadReception
  ) -> UploadReceptionEffect {
    switch event {
    case .piece(let data):
      receivedBytes += Int64(data.count)
      return reception.fault == .none || receivedBytes < limit(reception.fault) ? .goOn : .cut
    case .end: return reception.fault == .cutBeforeResponse ? .cut : .respond(reception.plain ?? .response())
    case .lost: return .goOn
    }
  }

  private func limit(_ fault: UploadServer.Fault) -> Int64 {
    switch fault {
    case .cut(let count), .stall(let count), .storeOnly(let count): Int64(count)
    default: .max
    }
  }

  private mutating func store(_ data: Data, _ path: String, _ reception: UploadReception)
    -> UploadReceptionEffect
  {
    guard let index = uploads.firstIndex(where: { $0.path == path }), var progress = active[path] else {
      return .cut
    }
    let room = max(0, limit(reception.fault) - progress.count)
    var part = data.prefix(Int(min(room, Int64(data.count))))
    if reception.fault == .damage, progress.count == 0, !part.isEmpty { part[part.startIndex] ^= 1 }
    progress.count += Int64(part.count)
    if reception.checksum != nil {
      // Stored when its checksum is right.
      progress.bytes += part
    } else {
      add(part, index)
    }
    active[path] = progress
    guard progress.count >= limit(reception.fault) else { return .goOn }
    switch reception.fault {
    case .cut: return .cut
    case .stall: return .stall
    default: return .goOn
    }
  }

  private mutating func add(_ part: Data, _ index: Int) {
    uploads[index].offset += Int64(part.count)
    if rules.keepsContent { uploads[index].content += part }
    hashes[uploads[index].path]?.update(part)
  }

  private mutating func end(_ path: String, _ reception: UploadReception) -> UploadReceptionEffect {
    guard let index = uploads.firstIndex(where: { $0.path == path }) else { return .cut }
    if let checksum = reception.checksum, let bytes = active[path]?.bytes {
      guard Data(SHA256Digest(hashing: bytes).bytes) == checksum else {
        return .respond(.response(status: 460, fields: version(reception.dialect)))
      }
      add(bytes, index)
    }
    let upload = uploads[index]
    let isWhole = upload.length.map { $0 == upload.offset } ?? true
    var isStoredWhole = true
    if case .storeOnly = reception.fault { isStoredWhole = false }
    if reception.dialect == .tus ? isWhole : reception.isLast && isStoredWhole { complete(index) }
    if reception.fault == .cutBeforeResponse { return .cut }
    let done = uploads[index]
    var fields = version(reception.dialect) + completeness(done.isComplete, reception.dialect)
    if reception.dialect == .tus {
      fields.append("Upload-Offset", "\(done.offset)")
      return .respond(.response(status: 204, fields: fields))
    }
    guard done.isComplete else {
      fields.append("Upload-Offset", "\(done.offset)")
      if reception.isCreation { fields.append("Location", path) }
      return .respond(
        .response(status: reception.isCreation ? 201 : 204, fields: fields + limitFields(done.dialect)))
    }
    var response = rules.response
    if let digest = done.fields["Repr-Digest"], let own = done.digest,
      !digest.contains(own.base64EncodedString())
    {
      response = .response(status: 422, body: "the digest differs")
    }
    response.fields = response.fields + fields
    return .respond(response)
  }

  private mutating func complete(_ index: Int) {
    uploads[index].isComplete = true
    uploads[index].digest = hashes[uploads[index].path]?.finalize()
  }
}

extension HTTPFields {
  fileprivate static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
    var fields = left
    for field in right { fields.append(field) }
    return fields
  }
}
