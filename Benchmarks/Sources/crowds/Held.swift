import BenchmarkSupport
@_spi(Benchmarks) import ErrandCore

/// The resources of a client and its process at one moment.
struct Held {
  private let remembered: Int
  private let inFlight: Int
  private let inScopes: Int
  /// The memory of the process in bytes; nil on systems without `/proc`.
  private let memory: Int?

  init(_ client: Client, _ scope: RequestScope) {
    let probe = ClientProbe(client)
    remembered = probe.remembered
    inFlight = probe.inFlight
    inScopes = scope.count
    memory = ProcessUsage.memory
  }

  static var columns: String {
    ["remembered", "in flight", "in scopes", "MiB"].map { $0.right(11) }.joined()
  }

  var text: String { Self.row(remembered, inFlight, inScopes, memory) }

  func since(_ old: Held) -> String {
    let grown = memory.flatMap { now in old.memory.map { now - $0 } }
    return Self.row(remembered - old.remembered, inFlight - old.inFlight, inScopes - old.inScopes, grown)
  }

  private static func row(_ remembered: Int, _ inFlight: Int, _ inScopes: Int, _ memory: Int?) -> String {
    let mebibytes = memory.map { (Double($0) / 1_048_576).fixed(1) } ?? "-"
    return ["\(remembered)", "\(inFlight)", "\(inScopes)", mebibytes].map { $0.right(11) }.joined()
  }
}
