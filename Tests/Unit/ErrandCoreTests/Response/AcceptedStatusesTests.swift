import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct AcceptedStatusesTests {
  @Test(arguments: [
    (AcceptedStatuses([404, 200, 201, 404]), [200, 202, 404, 405], "200 to 201 or 404"),
    (AcceptedStatuses(200..<300), [200, 300], "200 to 299"),
    (AcceptedStatuses(200...204), [200, 205], "200 to 204"),
    (AcceptedStatuses(Set([599])), [599, 600], "599"), (AcceptedStatuses([]), [0, 0], "no status"),
    (AcceptedStatuses(400...), [400, 1000], "400 to 999"),
    (AcceptedStatuses(0...Int.max), [0, 1000], "0 to 999"),
    (AcceptedStatuses(Int.min..<200), [0, 200], "0 to 199"),
    (AcceptedStatuses([Int.max, 200, -1]), [200, 201], "200"),
    (AcceptedStatuses((-100_000)...1000), [0, 1000], "0 to 999"),
    (AcceptedStatuses(Int.min...Int.max), [0, 1000], "0 to 999"),
    (AcceptedStatuses(Int.min...), [0, 1000], "0 to 999"),
    (AcceptedStatuses(999...), [999, 1000], "999"), (AcceptedStatuses(999...Int.max), [999, 1000], "999"),
    (AcceptedStatuses(-5...0), [0, 1], "0"),
    (AcceptedStatuses(stride(from: 100_000, through: 0, by: -1)), [0, 1000], "0 to 999"),
    (AcceptedStatuses((-300_000...204).reversed()), [0, 205], "0 to 204"),
    (AcceptedStatuses(sequence(first: 998) { $0 &+ 1 }), [998, 1000], "998 to 999"),
  ])
  func `statuses become ranges, which are stored by their bounds`(
    _ statuses: AcceptedStatuses, _ bounds: [Int], _ text: String
  ) {
    #expect(statuses.bounds == bounds)
    #expect(AcceptedStatuses(bounds: bounds) == statuses)
    #expect("\(statuses)" == text)
    for status in 0..<1000 {
      let isBetween = stride(from: 0, to: bounds.count, by: 2).contains {
        (bounds[$0]..<bounds[$0 + 1]).contains(status)
      }
      #expect(statuses.contains(HTTPStatus(status)) == isBetween)
    }
  }

  @Test func `a range without any status accepts none, and is not read`() {
    for statuses in [
      AcceptedStatuses((Int.max - 2)...), AcceptedStatuses(Int.max...), AcceptedStatuses(1000...),
      AcceptedStatuses(1000...Int.max), AcceptedStatuses(Int.min...(-1)), AcceptedStatuses(200..<200),
      AcceptedStatuses(Int.min..<0),
    ] {
      #expect("\(statuses)" == "no status")
      #expect(!statuses.contains(0) && !statuses.contains(999))
    }
  }

  @Test func `stored bounds beyond any status are no error`() {
    #expect(AcceptedStatuses(bounds: [.min, .max]) == AcceptedStatuses(0..<1000))
    #expect(AcceptedStatuses(bounds: [.min, 0])?.description == "no status")
    #expect(AcceptedStatuses(bounds: [.max, .max])?.description == "no status")
  }

  @Test func `a request that accepts two statuses rejects all others`() async throws {
    let stage = Stage.configured { _ in }.responding {
      .response(status: Int($0.url.lastPathComponent) ?? 0)
    }
    func send(_ status: Int) async throws -> Response {
      try await stage.client.send(.get("http://a.test/\(status)").accepting(200, 404).bestEffort())
    }
    #expect(try await send(200).status == 200)
    #expect(try await send(404).status == 404)
    for status in [201, 500] {
      let error = await #expect(throws: RequestError.self) { _ = try await send(status) }
      #expect(error?.message.contains("but 200 or 404 was expected") == true)
    }
  }
}
