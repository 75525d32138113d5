import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

/// A request with more files than a process may have open.
@Suite(.computesLong, .timeLimit(.minutes(1))) struct ManyFilesTests {
  private let harness: StorageHarness
  /// The number of open files in the test's folder, because other tests of this process open files elsewhere.
  private var open: Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let paths = names.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    return paths.count { $0?.hasPrefix(harness.url("").path) ?? false }
  }

  init() throws { harness = try StorageHarness() }

  private func form(_ count: Int) throws -> (RequestBody, [Data]) {
    var form = MultipartForm(boundary: "boundary")
    let contents = (0..<count).map { Data.seeded(10, UInt64($0)) }
    for (index, content) in contents.enumerated() {
      form = form.file("file \(index)", at: try harness.file("\(index)", content))
    }
    return (.multipart(form), contents)
  }

  @Test(arguments: [false, true])
  func `a request with very many files is stored and sent with few of them open`(isSealed: Bool) async throws
  {
    let key = isSealed ? OutboxKey.random() : nil
    let (body, contents) = try form(300)
    let request = Request.post("https://example.com", body)
    let item = OutboxItem(id: .new(), request: request, key: "k")
    var most = 0
    let row = try await harness.storage(key).store(
      [item], used: { Set($0) },
      commit: { rows in
        most = max(most, open)
        return rows[0]
      })
    #expect(row.files.count == 300)
    guard case .reader(let reader) = try harness.request(row, key: key).body.open(compressed: false) else {
      Issue.record("it was not read")
      return
    }
    most = max(most, open)
    let whole = try reader.allBytes(room: 100_000)
    most = max(most, open)
    for content in contents { #expect(whole.firstRange(of: content) != nil) }
    #expect(most > 0 && most < 10, "\(most)")
  }

  @Test func `a missing file among many is detected before anything is sent`() async throws {
    let row = try await harness.row(.post("https://example.com", try form(3).0))
    try FileManager.default.removeItem(at: harness.storedFile(row.files[2]))
    let request = try harness.request(row)
    let error = try #require(
      #expect(throws: RequestError.self) { _ = try request.body.open(compressed: false) })
    #expect(error.code == .fileUnreadable && !error.reachedServer)
  }

  @Test func `a truncated file among many is detected before anything is sent`() async throws {
    let row = try await harness.row(.post("https://example.com", try form(3).0))
    try Data().write(to: harness.storedFile(row.files[1]))
    let request = try harness.request(row)
    let error = try #require(
      #expect(throws: RequestError.self) { _ = try request.body.open(compressed: false) })
    #expect(error.code == .fileUnreadable && !error.reachedServer)
  }
}
