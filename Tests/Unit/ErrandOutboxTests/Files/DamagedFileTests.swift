import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

/// A damaged stored file is never sent completely.
@Suite(.timeLimit(.minutes(1))) struct DamagedFileTests {
  private let harness: StorageHarness
  private let server: MockServer

  init() throws {
    harness = try StorageHarness()
    server = try MockServer()
    server.otherwise { _ in .response() }
  }

  enum Damage: CaseIterable { case missing, empty, shorter, longer, firstByte, lastByte }

  private func damage(_ file: URL, _ damage: Damage) throws {
    let whole = try Data(contentsOf: file)
    switch damage {
    case .missing: try FileManager.default.removeItem(at: file)
    case .empty: try Data().write(to: file)
    case .shorter: try whole.dropLast().write(to: file)
    case .longer: try (whole + [0]).write(to: file)
    case .firstByte: try whole.flipping(0).write(to: file)
    case .lastByte: try whole.flipping(whole.count * 8 - 1).write(to: file)
    }
  }

  @Test(arguments: Damage.allCases, [true, false])
  func `the error of a request with a damaged file names it, and no server gets all its bytes`(
    damage: Damage, isSealed: Bool
  )
    async throws
  {
    let key: OutboxKey? = isSealed ? .random() : nil
    let client = Client(transport: CurlTransport())
    let file = try harness.file("f", .seeded(200_000))
    let form = MultipartForm().field("a", "1").file("f", at: file)
    for body in [RequestBody.file(file), .multipart(form)] {
      let row = try await harness.row(.put(server.url("/"), body), key: key)
      let request = try harness.request(row, key: key)
      try self.damage(harness.storedFile(row.files[0]), damage)
      let error = await #expect(throws: RequestError.self) { try await client.send(request.bestEffort()) }
      #expect(error?.code == .fileUnreadable, "\(error as Any)")
      #expect(error?.message.contains(row.files[0]) == true)
      if error?.reachedServer == false { #expect(server.requests.isEmpty) }
    }
    try await server.waitForOpenConnections(0)
    #expect(server.requests.allSatisfy { !$0.isComplete })
    await client.shutdown(within: .seconds(1))
  }

  @Test func `damage to an empty file is detected`() async throws {
    let row = try await harness.row(.put(server.url("/"), .file(try harness.file("f", Data()))))
    try Data([1]).write(to: harness.storedFile(row.files[0]))
    let request = try harness.request(row)
    await #expect(throws: RequestError.self) { _ = try await request.bodyBytes() }
  }
}
