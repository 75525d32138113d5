import BenchmarkSupport

/// The results of one run of the program.
struct Report: Encodable {
  struct Figures: Encodable {
    /// The rate of each round.
    var rates: [Double] = []
    var cpuSeconds: [Double] = []
    /// How often a thread of the program began to wait, for each request.
    var waits: [Double] = []

    enum CodingKeys: String, CodingKey {
      case requestsPerSecond, cpuSecondsPer10000, waitsPerRequest, roundsRequestsPerSecond
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Statistics.median(rates), forKey: .requestsPerSecond)
      try container.encode(Statistics.median(cpuSeconds), forKey: .cpuSecondsPer10000)
      try container.encode(Statistics.median(waits), forKey: .waitsPerRequest)
      try container.encode(rates, forKey: .roundsRequestsPerSecond)
    }
  }

  /// The least ratio of Errand's rate to libcurl's; nil for that of small responses.
  let aim: String?
  let url: String
  let requests: Int
  let concurrency: Int
  let rounds: Int
  var clients: [String: Figures] = [:]
  /// The medians of each round's ratio of rates.
  var ratios: [String: Double] = [:]

  mutating func compare(_ name: String, with other: String) {
    guard let client = clients[name], let reference = clients[other] else { return }
    ratios["\(name)/\(other)"] = Statistics.medianRatio(client.rates, reference.rates)
  }

  var text: String {
    var lines = ["\(concurrency) in flight, \(requests) requests per round, medians of \(rounds) rounds"]
    lines.append(
      "  \("client".left(24))\("requests/s".right(12))\("CPU s per 10,000".right(18))\("waits".right(8))"
        + "\("spread".right(10))")
    for (name, figures) in clients.sorted(by: { $0.key < $1.key }) {
      let rate = Statistics.median(figures.rates).fixed(0).right(12)
      lines.append(
        "  \(name.left(24))\(rate)\(Statistics.median(figures.cpuSeconds).fixed(3).right(18))"
          + "\(Statistics.median(figures.waits).fixed(2).right(8))\(Self.spread(figures.rates).right(10))")
    }
    for (name, ratio) in ratios.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name.left(24))\(ratio.fixed(2).right(12))\(aim(of: name))")
    }
    if let errand = clients["errand"], let libcurl = clients["libcurl"] {
      let ratio = Statistics.medianRatio(errand.cpuSeconds, libcurl.cpuSeconds)
      lines.append("  \("CPU, errand/libcurl".left(24))\(ratio.fixed(2).right(12))  (at most 1.25)")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns half the spread of the rounds in percent of their median, which shows the machine's noise.
  private static func spread(_ rates: [Double]) -> String {
    guard let least = rates.min(), let most = rates.max() else { return "" }
    return "±\(((most - least) / 2 / Statistics.median(rates) * 100).fixed(0)) %"
  }

  private func aim(of ratio: String) -> String {
    if let aim, ratio == "errand/libcurl" { return "  (at least \(aim))" }
    return switch (ratio, concurrency) {
    case ("errand/libcurl", 64...): "  (at least 0.85)"
    case ("errand/libcurl", _): "  (at least 0.80)"
    case ("errand/urlsession", 64): "  (at least 8)"
    default: ""
    }
  }
}
