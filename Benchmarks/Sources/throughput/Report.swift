import BenchmarkSupport

/// The figures of one run of the program.
struct Report: Encodable {
  struct Figures: Encodable {
    /// The rate of each round.
    var rates: [Double] = []
    var cpuSeconds: [Double] = []

    enum CodingKeys: String, CodingKey {
      case requestsPerSecond, cpuSecondsPer10000, roundsRequestsPerSecond
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Statistics.median(rates), forKey: .requestsPerSecond)
      try container.encode(Statistics.median(cpuSeconds), forKey: .cpuSecondsPer10000)
      try container.encode(rates, forKey: .roundsRequestsPerSecond)
    }
  }

  let url: String
  let requests: Int
  let concurrency: Int
  let rounds: Int
  var clients: [String: Figures] = [:]
  /// The medians of each round's ratio of rates.
  var ratios: [String: Double] = [:]

  mutating func compare(_ client: String, with other: String) {
    guard let client = clients[client], let reference = clients[other] else { return }
    ratios["errand/\(other)"] = Statistics.medianRatio(client.rates, reference.rates)
  }

  var text: String {
    var lines = ["\(concurrency) in flight, \(requests) requests a round, medians of \(rounds) rounds"]
    lines.append("  \("client".left(18))\("requests/s".right(12))\("CPU s per 10,000".right(18))")
    for (name, figures) in clients.sorted(by: { $0.key < $1.key }) {
      let rate = Statistics.median(figures.rates).fixed(0).right(12)
      lines.append(
        "  \(name.left(18))\(rate)\(Statistics.median(figures.cpuSeconds).fixed(3).right(18))")
    }
    for (name, ratio) in ratios.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name.left(18))\(ratio.fixed(2).right(12))\(aim(name))")
    }
    return lines.joined(separator: "\n")
  }

  private func aim(_ ratio: String) -> String {
    switch (ratio, concurrency) {
    case ("errand/libcurl", 64): "  (at least 0.70; aim 0.85)"
    case ("errand/urlsession", 64): "  (at least 8)"
    default: ""
    }
  }
}
