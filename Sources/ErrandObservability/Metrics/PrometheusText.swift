import ErrandCore

/// Writes metrics in Prometheus' text format, version 0.0.4.
package struct PrometheusText {
  package typealias Sample = (labels: [(String, String)], value: Double)

  package private(set) var text = ""

  package init() {}

  package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    write(name, help, "gauge", samples)
  }

  package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
    write(name, help, "counter", samples)
  }

  mutating func histogram(
    _ name: String, _ help: String, _ histograms: [String: Histogram], by label: String
  ) {
    header(name, help, "histogram")
    for (key, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
      var total = 0
      for (index, count) in histogram.counts.enumerated() {
        total += count
        let bound = index < Histogram.bounds.count ? Self.number(Histogram.bounds[index]) : "+Inf"
        line("\(name)_bucket", [(label, key), ("le", bound)], Double(total))
      }
      line("\(name)_sum", [(label, key)], histogram.sum)
      line("\(name)_count", [(label, key)], Double(total))
    }
  }

  private mutating func write(_ name: String, _ help: String, _ type: String, _ samples: [Sample]) {
    header(name, help, type)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  private mutating func header(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(Self.number(value))\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
