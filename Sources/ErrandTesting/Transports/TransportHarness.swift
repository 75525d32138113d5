import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The harness of one case: a server, a client on the transport, and a folder. All of it is removed after the
/// case.
final class ConformanceHarness: Sendable {
  let server: MockServer
  /// A client that does not retry and has the default time-out of 10 s.
  let client: Client
  private let makeTransport: @Sendable () -> any Transport
  private let clients: Locked<[Client]>
  private let madeFolder = Locked<URL?>(nil)

  init(_ makeTransport: @escaping @Sendable () -> any Transport) throws {
    self.makeTransport = makeTransport
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry = .never
    client = Client(transport: makeTransport(), configuration: configuration)
    clients = Locked([client])
  }

  /// Returns a new client on a new transport.
  func client(_ configure: (inout ClientConfiguration) -> Void) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configure(&configuration)
    let client = Client(transport: makeTransport(), configuration: configuration)
    clients.withLock { $0.append(client) }
    return client
  }

  /// Returns the case's own folder, and creates it at first.
  func folder() throws -> URL {
    if let folder = madeFolder.withLock({ $0 }) { return folder }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "errand-conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    madeFolder.withLock { $0 = folder }
    return folder
  }

  /// Creates a file in the folder.
  func file(_ name: String, _ content: Data) throws -> URL {
    let file = try folder().appending(path: name)
    try content.write(to: file)
    return file
  }

  /// Creates a file of zeros, which takes no space on the disk and no time.
  func file(_ name: String, length: Int) throws -> URL {
    let file = try file(name, Data())
    try FileDescriptor(writing: file.path).truncate(to: Int64(length))
    return file
  }

  /// Returns the names of the files in the folder, sorted.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder().path).sorted()
  }

  func cleanUp() async {
    for client in clients.withLock({ $0 }) { await client.shutdown(within: .seconds(1)) }
    server.stop()
    if let folder = madeFolder.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }
}

// MARK: Assertions

extension ConformanceHarness {
  func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure("\(complaint()); the server saw \(saw)") }
  }

  func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
    if found != expected {
      throw ConformanceFailure(
        "\(what()) is \(short(found)), expected \(short(expected)); the server saw \(saw)")
    }
  }

  private var saw: String {
    let record =
      server.requests.suffix(5).map(\.description) + server.connections.suffix(5).map(\.description)
    return record.isEmpty ? "nothing" : record.joined(separator: "; ")
  }

  private func short(_ value: some Any) -> String {
    if let data = value as? Data { return "\(data.count) bytes beginning with \([UInt8](data.prefix(16)))" }
    let text = String(describing: value)
    return text.count > 300 ? "\(text.prefix(300))…" : text
  }

  /// Runs work that must fail with one of these codes, and returns the failure.
  @discardableResult
  func fails(
    _ codes: RequestError.Code..., reachedServer: Bool? = nil, _ work: () async throws -> Response
  ) async throws -> RequestError {
    let response: Response
    do {
      response = try await work()
    } catch let error as RequestError {
      try expect(codes.contains(error.code), "failed with \(error.debugDescription), expected \(codes)")
      if let reachedServer {
        try equal(error.reachedServer, reachedServer, "reachedServer of \(error.debugDescription)")
      }
      try expect(!error.message.isEmpty, "the failure \(error.code) says nothing")
      return error
    }
    throw ConformanceFailure(
      "got \(response.status) with \(response.data.count) bytes, expected a failure with \(codes); "
        + "the server saw \(saw)")
  }

  /// Returns pseudo-random bytes without a short period, the same for each call.
  static func bytes(_ count: Int) -> Data {
    // Tests are not optimised, so only this much is computed, and repeated. The length is a prime number: no
    // two pieces that a buffer might confuse are the same.
    let block = block.prefix(count)
    var bytes = Data(capacity: count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
  }

  private static let block: Data = {
    var state: UInt32 = 0x9E37_79B9
    return Data(
      (0..<65_521).map { _ in
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return UInt8(truncatingIfNeeded: state)
      })
  }()
}
