import ErrandCore
import ErrandCurl
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What each step has to itself: a server, a client, a folder.
final class TourStage: Sendable {
  let server: MockServer
  let client: Client
  private let notes: TourNotes
  private let folder: URL

  init(_ notes: TourNotes) throws {
    self.notes = notes
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .milliseconds(50)
    var curl = CurlConfiguration()
    // What the environment names must not come between.
    curl.proxy = .none
    client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
    folder = FileManager.default.temporaryDirectory.appending(path: "errand-tour-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func close() {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> URL { folder.appending(path: name) }

  /// What the client got or saw.
  func client(_ text: String) { notes.add(.client, text) }

  /// What the server saw.
  func server(_ text: String) { notes.add(.server, text) }

  /// Notes it if a promise is not kept.
  func promise(_ text: String, _ isKept: Bool) {
    if !isKept { notes.add(.broken, text) }
  }

  /// The error that it must end with.
  func failure(
    _ code: RequestError.Code, _ work: () async throws -> Response
  ) async throws -> RequestError {
    do {
      let response = try await work()
      throw TourFailure(description: "\(code) was promised, and \(response.status) came")
    } catch let error as RequestError {
      promise("\(code) was promised, and came: \(error.code)", error.code == code)
      return error
    }
  }

  /// Bytes that differ from place to place.
  static func bytes(_ count: Int, seed: UInt8 = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) ^ seed })
  }
}
