import BenchmarkSupport
@_spi(Benchmarks) import ErrandCore

/// Prints the waiting times of each priority, for each number of reserved slots.
struct MixedLoadReport {
  let hours: Int

  func print() {
    Swift.print("a mixed load, \(hours) hours of virtual time; waiting time: mean / 95 % / longest")
    for total in [4, 8] {
      Swift.print("  \(total) slots".left(12) + columns)
      Swift.print("    no flood".left(12) + row(total: total, reserved: 0, flood: 0))
      for reserved in 0...3 {
        Swift.print("    reserved \(reserved)".left(12) + row(total: total, reserved: reserved, flood: 100))
      }
    }
  }

  private var columns: String {
    "userInitiated, ms".right(22) + "default, ms".right(22) + "utility, s".right(20)
      + "background, s".right(20)
      + "unseen/s".right(10)
  }

  private func row(total: Int, reserved: Int, flood: Int) -> String {
    var limits = ConcurrencyLimits(total: total)
    limits.reserved = reserved
    var load = MixedLoad(limits, flood: flood)
    let outcome = load.run(hours: hours)
    func cell(_ priority: Priority, _ unit: Double, _ digits: Int, _ width: Int) -> String {
      guard let waits = outcome.waits[priority] else { return "-".right(width) }
      let figures = [
        waits.reduce(0, +) / Double(waits.count), Statistics.percentile(0.95, waits), waits.max() ?? .nan,
      ]
      return figures.map { ($0 * unit).fixed(digits) }.joined(separator: " / ").right(width)
    }
    let unseen = [Priority.utility, .background].reduce(0) { $0 + (outcome.waits[$1]?.count ?? 0) }
    return cell(.userInitiated, 1000, 0, 22) + cell(.default, 1000, 0, 22) + cell(.utility, 1, 1, 24)
      + cell(.background, 1, 1, 24) + (Double(unseen) / (outcome.hours * 3600)).fixed(2).right(10)
  }
}
