import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares the HTTP cache with a model of RFC 9111 over random histories of requests, changes, waits and evictions.
/// The origin counts its versions, so that each response shows which version of which user it is of.
@Suite struct HTTPCacheModelTests {
  /// What the origin says of a resource.
  private struct Resource {
    var version = 0
    var maxAge = 0
    var control = ""
    var hasTag = true
    var variesByLanguage = false
    var isGone = false
  }

  /// The origin: it knows all resources, and responds to conditions as RFC 9110 says.
  private final class Origin: Sendable {
    let resources = Locked<[Resource]>([])
    let served = Locked(0)

    func respond(_ request: StubRequest) -> StubStep {
      served.withLock { $0 += 1 }
      guard let index = Int(request.lastComponent) else { return .response(status: 400) }
      let resource = resources.withLock { resources in
        // Every unsafe request changes the resource.
        if request.method != .get, request.method != .head { resources[index].version += 1 }
        return resources[index]
      }
      let user = request.fields["Authorization"] ?? "nobody"
      let language = resource.variesByLanguage ? request.fields["Accept-Language"] ?? "none" : "any"
      let tag = "\"\(user) \(language) \(resource.version)\"".replacing(" ", with: ".")
      var fields: HTTPFields = ["Cache-Control": "max-age=\(resource.maxAge)\(resource.control)"]
      if resource.hasTag { fields["ETag"] = tag }
      if resource.variesByLanguage { fields["Vary"] = "Accept-Language" }
      if resource.isGone { return .response(status: 410, fields: fields, body: "gone") }
      if let asked = request.fields["If-None-Match"], asked.contains(tag) {
        return .response(status: 304, fields: fields)
      }
      let body = request.method == .head ? "" : "\(index) \(user) \(language) \(resource.version)"
      if request.method == .head {
        fields["Content-Length"] = "\("\(index) \(user) \(language) \(resource.version)".utf8.count)"
      }
      return .response(fields: fields, body: body)
    }
  }

  /// The model: the times at which a version was current, by which a response's staleness is judged.
  private struct Model {
    /// The end of each version of each resource, in seconds; nil for the present one.
    var ends: [[Double]] = []
    /// The largest time that any response of the resource has allowed a cache to use it.
    var allowance: [Double] = []

    /// Returns how long ago a version ceased to be the present one.
    func staleness(_ index: Int, _ version: Int, at now: Double) -> Double {
      version < ends[index].count ? now - ends[index][version] : 0
    }
  }

  private static let users: [String?] = [nil, "ann", "bob"]

  @Test(arguments: 0..<60)
  func `no history shows another user's response, or one that is staler than allowed`(seed: UInt64)
    async throws
  {
    var random = SeededRandom(seed: seed)
    let origin = Origin()
    let limit = [4000, 20 << 20].randomElement(using: &random)!
    let stage = Stage.configured { $0.cache = .http(MemoryResponseCache(limit: limit)) }
      .responding { origin.respond($0) }
    var model = Model()
    for _ in 0..<4 {
      var resource = Resource()
      resource.maxAge = [0, 1, 10, 100].randomElement(using: &random)!
      resource.control = [
        "", ", must-revalidate", ", no-cache", ", private, immutable", ", stale-while-revalidate=5",
      ]
      .randomElement(using: &random)!
      resource.hasTag = Bool.random(using: &random)
      resource.variesByLanguage = Bool.random(using: &random)
      let swr = resource.control.contains("while") ? 5.0 : 0
      let isAlwaysAsked = resource.control.contains("no-cache")
      model.ends.append([])
      model.allowance.append(isAlwaysAsked ? 0 : Double(resource.maxAge) + swr)
      origin.resources.withLock { $0.append(resource) }
    }
    var hits = 0
    for step in 0..<150 {
      let index = Int.random(in: 0..<4, using: &random)
      let now = stage.clock.now.offset.seconds
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        await stage.clock.advance(by: .seconds(Double.random(in: 0...20, using: &random)))
      case 1:
        // The resource changes by itself.
        model.ends[index].append(now)
        origin.resources.withLock { $0[index].version += 1 }
      case 2:
        model.ends[index].append(now)
        var request = Request(
          ["POST", "PUT", "DELETE", "X"].randomElement(using: &random)!, "http://a.test/\(index)")
        let user = Self.users.randomElement(using: &random)!
        if let user { request = request.bearer(user) }
        let response = try await stage.client.send(request.bestEffort())
        #expect(response.cacheStatus?.isHit == false, "step \(step)")
        // Its own later GET never shows the version before.
        let after = try await get(index, user, "de", stage)
        #expect(version(after) == origin.resources.withLock { $0[index].version }, "step \(step)")
      default:
        let user = Self.users.randomElement(using: &random)!
        let language = ["de", "en"].randomElement(using: &random)!
        let directive = [CacheDirective.revalidate, .maxAge(.seconds(3)), .noStore].randomElement(
          using: &random)!
        let isAsking = Int.random(in: 0..<5, using: &random) == 0
        let response = try await get(index, user, language, stage, isAsking ? [directive] : [])
        let words = response.text.split(separator: " ").map(String.init)
        let resource = origin.resources.withLock { $0[index] }
        try #require(words.count >= 4, "step \(step): \(response.text)")
        #expect(words[0] == "\(index)", "step \(step)")
        #expect(
          words.dropFirst().dropLast(2).joined(separator: " ") == (user.map { "Bearer \($0)" } ?? "nobody"))
        #expect(words[words.count - 2] == (resource.variesByLanguage ? language : "any"), "step \(step)")
        let staleness = model.staleness(index, try #require(version(response)), at: now)
        let allowed =
          isAsking && directive == .revalidate
          ? 0
          : isAsking && directive == .maxAge(.seconds(3))
            ? min(3, model.allowance[index]) : model.allowance[index]
        #expect(staleness <= allowed + 0.001, "step \(step): \(response.cacheStatus!), \(staleness) s")
        if response.cacheStatus?.isHit == true { hits += 1 }
      }
    }
    #expect(hits > 0 || model.allowance.allSatisfy { $0 < 2 })
    await stage.expectNothingLeft()
  }

  private func get(
    _ index: Int, _ user: String?, _ language: String, _ stage: Stage, _ directives: [CacheDirective] = []
  ) async throws -> Response {
    var request = Request.get("http://a.test/\(index)").field("Accept-Language", language).bestEffort()
    if let user { request = request.bearer(user) }
    for directive in directives { request = request.cached(directive) }
    return try await stage.client.send(request)
  }

  private func version(_ response: Response) -> Int? {
    response.text.split(separator: " ").last.flatMap { Int($0) }
  }
}
