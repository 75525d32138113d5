import Errand
import ErrandTesting
import Foundation
import Testing

@Suite struct WeatherTests {
  private let json: HTTPFields = ["Content-Type": "application/json"]
  private let oslo = #"{"place":"Oslo","degrees":-3}"#

  @Test func `the service reports the weather of a place`() async throws {
    let server = try MockServer()
    server.on("GET", "/weather") { [json, oslo] request in
      request.query == "place=Oslo" ? .response(fields: json, body: oslo) : .response(status: 404)
    }
    let service = WeatherService(client: Client(), base: server.url("/"))

    #expect(try await service.report(for: "Oslo") == .init(place: "Oslo", degrees: -3))
    await #expect(throws: WeatherService.Failure.unknownPlace("Atlantis")) {
      try await service.report(for: "Atlantis")
    }
  }

  @Test func `the last known weather is returned while the service is down`() async throws {
    let server = try MockServer()
    server.script("GET", "/weather", [.response(fields: json, body: oslo), .reset])
    let service = WeatherService(client: Client(), base: server.url("/"))

    _ = try await service.report(for: "Oslo")
    #expect(try await service.report(for: "Oslo").degrees == -3)
    // The first of the three attempts used the kept connection, which ended before a response. So it was
    // repeated at once on a new connection.
    #expect(server.count("/weather") == 1 + 1 + 3)
  }

  @Test func `a busy service gets a second request, without a wait in the test`() async throws {
    let clock = VirtualClock()
    let stub = StubTransport(
      clock: clock,
      [.response(status: 503, fields: ["Retry-After": "30"]), .response(fields: json, body: oslo)])
    var configuration = ClientConfiguration()
    configuration.clock = clock
    let service = WeatherService(
      client: Client(transport: stub, configuration: configuration), base: URL(string: "http://weather")!)

    let report = try await clock.run { try await service.report(for: "Oslo") }

    #expect(report.degrees == -3)
    #expect(clock.now.offset >= .seconds(30))
  }

  @Test func `an HTML page instead of the weather is an error with its content type`() async throws {
    let stub = StubTransport([.response(fields: ["Content-Type": "text/html"], body: "<h1>Welcome</h1>")])
    let service = WeatherService(client: Client(transport: stub), base: URL(string: "http://weather")!)

    let error = await #expect(throws: RequestError.self) { try await service.report(for: "Oslo") }
    #expect(error?.code == .rejected)
    #expect(error?.message.contains("text/html") == true)
  }
}
