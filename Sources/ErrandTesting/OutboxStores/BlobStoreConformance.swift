import ErrandCore
public import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conformance suite for blob stores, used as `OutboxStoreConformance` is.
public struct BlobStoreConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the store.
    public let name: String
    let body: @Sendable (any Place) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any Place) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A place that several stores share: a folder, a database.
  public protocol Place: Sendable {
    /// Opens a store on the place, as another process would.
    func open() async throws -> any BlobStore
  }

  private let makePlace: @Sendable () throws -> any Place

  /// - Parameter makePlace: Makes an empty place that shares nothing with another.
  public init(makePlace: @escaping @Sendable () throws -> any Place) { self.makePlace = makePlace }

  /// Runs one case.
  /// - Throws: A `ConformanceFailure`, or the unexpected error.
  public func run(_ testCase: Case) async throws { try await testCase.body(try makePlace()) }

  /// Every requirement.
  public static let cases = [
    Case("returns what was put, byte for byte, from memory and from a file") { place in
      let (one, two) = (try await place.open(), try await place.open())
      for size in [0, 1, 65_536, 300_001] {
        let data = ConformanceHarness.bytes(size)
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-blob-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let blobs = try await one.put([source(.bytes(data)), source(.file(path: file.path))])
        try equal(blobs.map(\.size), [Int64(size), Int64(size)], "the sizes")
        for blob in blobs {
          try two.check(blob.name, size: blob.size)
          try equal(try await bytes(of: blob, in: two), data, "what was stored of \(size) bytes")
        }
      }
    },

    Case("gives equal bodies a blob each") { place in
      let store = try await place.open()
      let blobs = try await store.put(Array(repeating: source(.bytes(Data([1]))), count: 3))
      try equal(Set(blobs.map(\.name)).count, 3, "the names")
      await store.remove([blobs[0].name])
      try equal(try await bytes(of: blobs[1], in: store), Data([1]), "what is left")
    },

    Case("stores all bodies or none") { place in
      let store = try await place.open()
      do {
        _ = try await store.put([source(.bytes(Data([1]))), source(.file(path: "/nowhere/at all"))])
        throw ConformanceFailure("a missing file was stored")
      } catch let error as OutboxError {
        try equal(error.code, .fileUnreadable, "the code of \"\(error)\"")
      }
      try equal(try await store.sweep { _ in [] }, [], "what was left behind")
    },

    Case("opens nothing that is missing or has another size") { place in
      let store = try await place.open()
      let blob = try await store.put([source(.bytes(Data([1, 2])))])[0]
      try fails("another size") { _ = try store.open(blob.name, size: 3) }
      try fails("another size") { try store.check(blob.name, size: 1) }
      await store.remove([blob.name, "nothing", "../nothing", ""])
      for name in [blob.name, "nothing", "../nothing", ""] {
        try fails(name) { _ = try store.open(name, size: 2) }
        try fails(name) { try store.check(name, size: 2) }
      }
    },

    Case("sweeps what belongs to no row, once it is not held") { place in
      let (one, two) = (try await place.open(), try await place.open())
      var blobs = try await one.put([source(.bytes(Data([1]))), source(.bytes(Data([2])))])
      let names = blobs.map(\.name)
      try equal(try await two.sweep { _ in [] }, [], "what was swept while it was held")
      withExtendedLifetime(blobs) {}
      blobs = []
      let swept = try await two.sweep { Set($0).intersection([names[0]]) }
      try expect(swept.contains(names[1]) && !swept.contains(names[0]), "what was swept is \(swept)")
      try one.check(names[0], size: 1)
      try fails("what was swept") { try one.check(names[1], size: 1) }
    },

    Case("sweeps nothing if it cannot ask what belongs to a row") { place in
      let store = try await place.open()
      let name = try await store.put([source(.bytes(Data([1])))])[0].name
      do {
        try await store.sweep { _ in throw OutboxError(.busy, "not now") }
        throw ConformanceFailure("nothing failed")
      } catch let error as OutboxError {
        try equal(error.code, .busy, "the code")
      }
      try store.check(name, size: 1)
    },

    Case("keeps the first value under a name") { place in
      let (one, two) = (try await place.open(), try await place.open())
      try equal(try await one.value("a"), nil, "the value before")
      try await one.setValue(Data([1]), "a")
      try await two.setValue(Data([2]), "a")
      try await two.setValue(Data([3]), "b")
      try equal(try await two.value("a"), Data([1]), "the first value")
      try equal(try await one.value("b"), Data([3]), "another")
      try equal(try await one.sweep { _ in [] }, [], "what was swept of them")
    },
  ]

  // MARK: Helpers

  private static func source(_ segment: BodySegment) -> BlobSource {
    BlobSource(segment, of: OutboxID(rawValue: UUID().uuidString))
  }

  private static func bytes(of blob: Blob, in store: any BlobStore) async throws -> Data {
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

  private static func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(complaint()) }
  }

  private static func equal<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: @autoclosure () -> String
  ) throws {
    if found != expected { throw ConformanceFailure("\(what()): \(found), expected \(expected)") }
  }

  private static func fails(_ what: String, _ body: () throws -> Void) throws {
    do { try body() } catch { return }
    throw ConformanceFailure("\(what.debugDescription) was opened")
  }
}
