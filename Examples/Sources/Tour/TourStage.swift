import Errand
import ErrandTesting
import Foundation

/// The server, the client and the folder of one step.
final class TourStage: Sendable {
  let server: MockServer
  let client: Client
  private let notes: TourNotes
  private let folder: URL

  init(_ notes: TourNotes) throws {
    self.notes = notes
    server = try MockServer()
    client = Self.makeClient { _ in }
    folder = FileManager.default.temporaryDirectory.appending(path: "errand-tour-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Creates another client.
  static func makeClient(_ change: (inout ClientConfiguration) -> Void) -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .milliseconds(50)
    change(&configuration)
    return Client(configuration: configuration)
  }

  func close() {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> URL { folder.appending(path: name) }

  /// Adds a note about an observation of the client.
  func client(_ text: String) { notes.add(.client, text) }

  /// Adds a note about an observation of the server.
  func server(_ text: String) { notes.add(.server, text) }

  /// Adds a note if an expectation is not met.
  func promise(_ text: String, _ isKept: Bool) {
    if !isKept { notes.add(.broken, text) }
  }

  /// Returns the error of work that must fail with this code.
  func failure(
    _ code: RequestError.Code, _ work: () async throws -> Response
  ) async throws -> RequestError {
    do {
      let response = try await work()
      throw TourFailure(description: "expected the error \(code), but the response is \(response.status)")
    } catch let error as RequestError {
      promise("expected the error \(code), but it is \(error.code)", error.code == code)
      return error
    }
  }

  /// Returns the error of a call if it failed with this code, else nil.
  func failure(_ code: RequestError.Code, of call: Call) async -> RequestError? {
    guard case .failure(let error as RequestError) = await call.result, error.code == code else { return nil }
    return error
  }

  /// Sends a request in a task. If `Task.immediate` is available, the request has begun when this returns.
  static func begin(_ request: Request, by client: Client) -> Task<Response, any Error> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return Task.immediate { try await client.send(request) }
    }
    return Task { try await client.send(request) }
  }

  /// Returns bytes that vary with their position.
  static func bytes(_ count: Int, seed: UInt8 = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) ^ seed })
  }
}
