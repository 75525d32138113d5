import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxPostgres
import Foundation

/// Measures enqueueing from one caller and from many at once.
struct Enqueueing {
  private static let crowd = 64

  let store: String
  let rows: Int
  let rounds: Int
  /// The rows per second of pgbench with an insert of one row.
  let reference: Double

  func report() async throws {
    var one: [Double] = []
    var many: [Double] = []
    for _ in 0..<rounds {
      one.append(try await rate(callers: 1, rows: rows))
      many.append(try await rate(callers: Self.crowd, rows: rows * 8))
    }
    print("  \("pgbench, one-row insert".left(36))\(reference.fixed(0).right(9)) /s")
    print(
      "  \("enqueue, 1 caller".left(36))\(Statistics.median(one).fixed(0).right(9)) /s  "
        + "\((Statistics.median(one) / reference).fixed(2)) of it (at least 0.6)")
    print(
      "  \("enqueue, \(Self.crowd) callers".left(36))\(Statistics.median(many).fixed(0).right(9)) /s  "
        + "\(Statistics.medianRatio(many, one).fixed(1)) times one caller (at least 8)")
  }

  private func rate(callers: Int, rows: Int) async throws -> Double {
    let outbox = try await Storage.outbox(store)
    let request = Storage.request("http://127.0.0.1:9/")
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<callers {
        group.addTask { for _ in 0..<(rows / callers) { try await outbox.enqueue(request) } }
      }
      try await group.waitForAll()
    }
    let seconds = (ContinuousClock.now - begin).inSeconds
    try await outbox.drop(.all)
    await outbox.close()
    return Double(rows / callers * callers) / seconds
  }
}

/// Opens the outbox of a benchmark, and creates its requests.
enum Storage {
  static func request(_ url: String) -> Request { .post(url, .bytes(Data(repeating: 120, count: 200))) }

  /// Opens an outbox that only stores.
  static func outbox(_ store: String) async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    configuration.caps.bytes = nil
    return try await Outbox(
      store: PostgresOutboxStore(store), client: Client(transport: CurlTransport()),
      configuration: configuration)
  }
}
