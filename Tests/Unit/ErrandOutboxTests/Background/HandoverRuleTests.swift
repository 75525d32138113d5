import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct HandoverRuleTests {
  private let request = Request.post("https://api.example.com/a")

  private func response(_ url: String, _ method: HTTPMethod = .post) -> SessionResponse {
    SessionResponse(status: 200, fields: [:], url: URL(string: url)!, method: method, body: Data())
  }

  private func problem(_ response: SessionResponse, _ redirects: RedirectPolicy) -> RequestError? {
    HandoverRule(redirects: redirects).problem(with: response, to: request)
  }

  @Test(arguments: [
    "https://portal.example.com/a", "http://api.example.com/a", "https://api.example.com:444/a", "data:,x",
  ])
  func `a response from another origin is ignored`(url: String) {
    #expect(problem(response(url), DeliveryPolicy().redirects)?.code == .redirectRefused)
  }

  @Test func `a response from the same origin is accepted, whatever its path`() {
    #expect(problem(response("https://api.example.com/b"), DeliveryPolicy().redirects) == nil)
    #expect(problem(response("https://API.example.com:443/b"), DeliveryPolicy().redirects) == nil)
  }

  @Test func `a response to another method is ignored, unless redirects may change the method`() {
    let changed = response("https://api.example.com/a", .get)
    #expect(problem(changed, DeliveryPolicy().redirects)?.code == .redirectRefused)
    #expect(problem(changed, RedirectPolicy()) == nil)
  }

  @Test func `other origins may be allowed, but not over http`() {
    #expect(problem(response("https://other.example.com/"), RedirectPolicy()) == nil)
    #expect(problem(response("http://other.example.com/"), RedirectPolicy())?.code == .redirectRefused)
    let downgraded = RedirectPolicy(allowsDowngrade: true)
    #expect(problem(response("http://other.example.com/"), downgraded) == nil)
  }
}

@Suite struct LaneConstraintsTests {
  @Test func `constraints say which networks are allowed`() {
    #expect(LaneConstraints.none.allowsExpensiveNetworkAccess)
    #expect(LaneConstraints.none.allowsConstrainedNetworkAccess)
    let strict = LaneConstraints(requiresUnmetered: true, avoidsLowDataMode: true)
    #expect(!strict.allowsExpensiveNetworkAccess && !strict.allowsConstrainedNetworkAccess)
  }

  @Test func `a lane that requires charging is handed over only while charging`() {
    let charging = LaneConstraints(requiresCharging: true)
    #expect(!charging.allowsHandover(isCharging: false) && charging.allowsHandover(isCharging: true))
    #expect(LaneConstraints.none.allowsHandover(isCharging: false))
  }

  @Test func `a run requires external power only if all waiting requests require it`() {
    let charging = LaneConstraints(requiresCharging: true)
    let nothing = BackgroundTaskWish(waiting: [])
    #expect(!nothing.refreshes && !nothing.processes && !nothing.requiresExternalPower)
    let photos = BackgroundTaskWish(waiting: [charging, charging])
    #expect(!photos.refreshes && photos.processes && photos.requiresExternalPower)
    let both = BackgroundTaskWish(waiting: [charging, .none])
    #expect(both.refreshes && both.processes && !both.requiresExternalPower)
  }
}
