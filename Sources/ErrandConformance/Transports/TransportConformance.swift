public import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conformance suite for transports. It runs a client on the transport against a `MockServer` and
/// checks both sides. `ConformanceSuite` shows how to run it.
public struct TransportConformance: ConformanceSuite {
  /// The cases for all requirements without TLS.
  public static let cases: [Case] = [
    requests, bodies, responses, encodings, broken, limits, redirects, connecting, timeouts, cancellation,
    connections, streaming, trailers, downloads, fileFaults,
  ].flatMap { $0 }

  private let makeTransport: @Sendable () -> any Transport

  /// Creates the suite.
  /// - Parameter makeTransport: Returns a transport with its default configuration. Called for each case.
  public init(makeTransport: @escaping @Sendable () -> any Transport) {
    self.makeTransport = makeTransport
  }
}

extension TransportConformance: HarnessedSuite {
  func makeHarness() throws -> TransportHarness { try TransportHarness(makeTransport) }
}

/// The harness of one case: a server, a client on the transport, and a folder. They are removed after the
/// case.
final class TransportHarness: ConformanceHarness {
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

  /// Returns the case's folder, and creates it at the first call.
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

  /// Creates a sparse file of zeros.
  func file(_ name: String, length: Int) throws -> URL {
    let file = try file(name, Data())
    try FileDescriptor(writing: file.path).truncate(to: Int64(length))
    return file
  }

  /// Returns the names of the files in the folder, sorted.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder().path).sorted()
  }

  func end() async {
    for client in clients.withLock({ $0 }) { await client.shutdown(within: .seconds(1)) }
    server.stop()
    if let folder = madeFolder.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }
}

// MARK: Assertions

extension TransportHarness {
  var evidence: String { "; the server saw \(saw)" }

  private var saw: String {
    let record =
      server.requests.suffix(5).map(\.description) + server.connections.suffix(5).map(\.description)
    return record.isEmpty ? "nothing" : record.joined(separator: "; ")
  }

  /// Runs work that must fail with one of these codes, and returns its error.
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
      try expect(!error.message.isEmpty, "the error \(error.code) has no message")
      return error
    }
    throw ConformanceFailure(
      "got \(response.status) with \(response.data.count) bytes, expected a failure with \(codes)\(evidence)")
  }
}
