import ErrandCore
package import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conformance suite for blob stores. `ConformanceSuite` shows how to run it.
package struct BlobStoreConformance: ConformanceSuite {
  /// A place that several stores share, such as a folder or a database.
  package protocol Place: Sendable {
    /// Opens another store on the place, as another process would.
    func open() async throws -> any BlobStore
  }

  private let makePlace: @Sendable () throws -> any Place

  /// Creates the suite.
  /// - Parameter makePlace: Returns an empty place that is independent of all others. Called for each case.
  package init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }

  /// The cases of the suite, one for each requirement.
  package static let cases: [Case] = [
    Case("returns stored bodies byte for byte, from memory and from a file") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      for size in [0, 1, 65_536, 300_001] {
        let data = Data.noise(size)
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-blob-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let blobs = try await one.put([harness.source(.bytes(data)), harness.source(.file(path: file.path))])
        try harness.equal(blobs.map(\.size), [Int64(size), Int64(size)], "the sizes")
        for blob in blobs {
          try two.check(blob.name, size: blob.size)
          try harness.equal(
            try await harness.bytes(of: blob, in: two), data, "the stored body of \(size) bytes")
        }
      }
    },

    Case("creates a separate blob for each of two equal bodies") { harness in
      let store = try await harness.open()
      let blobs = try await store.put(Array(repeating: harness.source(.bytes(Data([1]))), count: 3))
      try harness.equal(Set(blobs.map(\.name)).count, 3, "the names")
      await store.remove([blobs[0].name])
      try harness.equal(try await harness.bytes(of: blobs[1], in: store), Data([1]), "the remaining rows")
    },

    Case("stores all bodies or none") { harness in
      let store = try await harness.open()
      do {
        _ = try await store.put([
          harness.source(.bytes(Data([1]))), harness.source(.file(path: "/nowhere/at all")),
        ])
        throw ConformanceFailure("a missing file was stored without an error")
      } catch let error as OutboxError {
        try harness.equal(error.code, .fileUnreadable, "the code of \"\(error)\"")
      }
      try harness.equal(try await store.sweep { _ in [] }, [], "the remaining blobs")
    },

    Case("does not open a blob that is missing or has another size") { harness in
      let store = try await harness.open()
      let blob = try await store.put([harness.source(.bytes(Data([1, 2])))])[0]
      try harness.fails("another size") { _ = try store.open(blob.name, size: 3) }
      try harness.fails("another size") { try store.check(blob.name, size: 1) }
      await store.remove([blob.name, "nothing", "../nothing", ""])
      for name in [blob.name, "nothing", "../nothing", ""] {
        try harness.fails(name) { _ = try store.open(name, size: 2) }
        try harness.fails(name) { try store.check(name, size: 2) }
      }
    },

    Case("sweeps blobs that belong to no row, once no store holds them") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      var blobs = try await one.put([harness.source(.bytes(Data([1]))), harness.source(.bytes(Data([2])))])
      let names = blobs.map(\.name)
      try harness.equal(try await two.sweep { _ in [] }, [], "the blobs swept while they were held")
      withExtendedLifetime(blobs) {}
      blobs = []
      var swept: [String] = []
      // Another store may notice only a moment later that a blob was released.
      for _ in 0..<1000 where !swept.contains(names[1]) {
        swept += try await two.sweep { Set($0).intersection([names[0]]) }
      }
      try harness.expect(
        swept.contains(names[1]) && !swept.contains(names[0]), "the swept blobs are \(swept)")
      try one.check(names[0], size: 1)
      try harness.fails("a swept blob") { try one.check(names[1], size: 1) }
    },

    Case("sweeps nothing if it cannot find out which blobs belong to rows") { harness in
      let store = try await harness.open()
      let name = try await store.put([harness.source(.bytes(Data([1])))])[0].name
      do {
        try await store.sweep { _ in throw OutboxError(.busy, "not now") }
        throw ConformanceFailure("no error was thrown")
      } catch let error as OutboxError {
        try harness.equal(error.code, .busy, "the code")
      }
      try store.check(name, size: 1)
    },

    Case("keeps the first value of a name") { harness in
      let (one, two) = (try await harness.open(), try await harness.open())
      try harness.equal(try await one.value("a"), nil, "the value before")
      try await one.setValue(Data([1]), "a")
      try await two.setValue(Data([2]), "a")
      try await two.setValue(Data([3]), "b")
      try harness.equal(try await two.value("a"), Data([1]), "the first value")
      try harness.equal(try await one.value("b"), Data([3]), "another")
      try harness.equal(try await one.sweep { _ in [] }, [], "the swept blobs")
    },
  ]
}

extension BlobStoreConformance: HarnessedSuite {
  func makeHarness() throws -> BlobStoreHarness { BlobStoreHarness(place: try makePlace()) }
}

/// The harness of one case, with stores on one place.
struct BlobStoreHarness: ConformanceHarness {
  let place: any BlobStoreConformance.Place

  func open() async throws -> any BlobStore { try await place.open() }

  func source(_ segment: BodySegment) -> BlobSource {
    BlobSource(segment, of: OutboxID(rawValue: UUID().uuidString))
  }

  func bytes(of blob: StoredBlob, in store: any BlobStore) async throws -> Data {
    let reader = try store.open(blob.name, size: blob.size)
    defer { reader.close() }
    try equal(reader.length, blob.size, "the length of the reader")
    let (readiness, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    reader.onReady { signal.yield() }
    var wakeUps = readiness.makeAsyncIterator()
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while true {
      switch try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
      case .bytes(let count): data += buffer[..<count]
      case .notYet: await wakeUps.next(isolation: nil)
      case .end: return data
      }
    }
  }

  func fails(_ what: String, _ body: () throws -> Void) throws {
    do { try body() } catch { return }
    throw ConformanceFailure("\(what.debugDescription) was opened")
  }
}
