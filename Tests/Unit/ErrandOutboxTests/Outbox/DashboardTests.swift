import ErrandObservability
import Foundation
import Testing

@testable import ErrandOutbox

/// The dashboard and the alerts in `Examples/Dashboards`. `scripts/dashboards` checks their syntax.
@Suite struct DashboardTests {
  private static let folder = URL(filePath: #filePath)
    .appending(path: "../../../../../Examples/Dashboards").standardizedFileURL

  /// The names of all metrics that Errand exports.
  private static var exported: Set<String> {
    var metrics = OutboxMetrics(statistics: OutboxStatistics(), ends: OutboxEnds())
    metrics.lanes = []
    let text = ClientMetrics().prometheus + metrics.text(at: Date())
    return Set(
      text.matches(of: /# TYPE (\S+) (\S+)/).flatMap { match in
        match.2 == "histogram"
          ? ["_bucket", "_sum", "_count"].map { "\(match.1)\($0)" } : ["\(match.1)"]
      })
  }

  @Test(arguments: ["errand.json", "alerts.yml"])
  func `each metric that is shown or watched is one that Errand exports`(file: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    let names = Set(text.matches(of: /errand_[a-z_]+/).map { String($0.output) })
    #expect(names.count > 5)
    #expect(names.subtracting(Self.exported) == [])
  }

  @Test func `the dashboard shows each metric`() throws {
    let text = try String(contentsOf: Self.folder.appending(path: "errand.json"), encoding: .utf8)
    // The times show the rate, too.
    for name in Self.exported where name != "errand_calls_per_second" {
      #expect(text.contains(name), "\(name)")
    }
  }
}
