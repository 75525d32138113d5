import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct FreshnessRuleTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private let now = Date(timeIntervalSince1970: 784_111_777)
  private var rule: FreshnessRule { FreshnessRule(now: now) }

  private func stored(
    _ fields: HTTPFields, status: HTTPStatus = 200, initialAge: TimeInterval = 0, secondsAgo: TimeInterval = 0
  ) -> CachedResponse {
    var response = CachedResponse(
      status: status, fields: fields, data: Data("x".utf8), url: URL(string: "http://a.test/")!,
      date: now.addingTimeInterval(-secondsAgo))
    response.exchange = CachedExchange(initialAge: initialAge)
    return response
  }

  private func control(_ text: String) -> CacheControl { CacheControl(["Cache-Control": text]) }

  @Test(arguments: [
    ("max-age=60", CacheControl.Seconds.valid(60)), ("MAX-Age=60", .valid(60)),
    ("max-age=\"60\"", .valid(60)),
    ("a, max-age=003600 ,b", .valid(3600)), ("max-age=1, max-age=2", .valid(1)), ("max-age", .malformed),
    ("max-age=", .malformed), ("max-age=-1", .malformed), ("max-age='60'", .malformed),
    ("max-age=1.5", .malformed),
    ("max-age=6a", .malformed), ("max-age=99999999999999999999", .valid(CacheControl.longest)),
    ("max-age=2147483649", .valid(CacheControl.longest)), ("x=\"max-age=60\", max-age=1", .valid(1)),
  ])
  func `a time is a number of digits, and the first of several`(text: String, seconds: CacheControl.Seconds) {
    #expect(control(text).seconds("max-age") == seconds)
  }

  @Test func `directives are found in all lines, and not in quoted text`() {
    var fields: HTTPFields = ["Cache-Control": "a=\"x, no-store\", private=\"Set-Cookie, X-A\""]
    fields.append("cache-control", "no-CACHE=\"Foo\" , , immutable")
    let control = CacheControl(fields)
    #expect(!control.contains("no-store") && control.contains("immutable") && control.contains("no-cache"))
    #expect(!control.isUnqualified("no-cache") && control.fieldNames(of: "no-cache") == ["foo"])
    #expect(control.fieldNames(of: "private") == ["set-cookie", "x-a"])
    #expect(self.control("no-cache").isUnqualified("no-cache"))
    #expect(CacheControl([:]).isEmpty && CacheControl(["Cache-Control": " , "]).isEmpty)
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sunday, 06-Nov-94 08:49:37 GMT", true),
    ("Sun Nov  6 08:49:37 1994", true), ("sun, 06 NOV 1994 08:49:37 gmt", true),
    ("Sun, 06 Nov 1994 08:49:37 UTC", false), ("Sun, 06 Nov 1994 08:49:37 +0000", false),
    ("Sun, 06 Nov 94 08:49:37 GMT", false), ("Sun 06 Nov 1994 08:49:37 GMT", false),
    ("Sun, 06  Nov 1994 08:49:37 GMT", false), ("Sun, 06-Nov-1994 08:49:37 GMT", false),
    ("Sun, 06 Nov 1994 08.49.37 GMT", false), ("Sun, 06 Nov 1994 8:49:37 GMT", false), ("0", false),
    ("", false),
    ("Sun, 32 Nov 1994 08:49:37 GMT", false), ("Sun, 06 Nov 1994 08:49:37 GMT, x", false),
  ])
  func `a date has one of the three forms`(text: String, isValid: Bool) {
    #expect(HTTPDate.parseExactly(text) == (isValid ? now : nil))
  }

  @Test func `how long a response is fresh`() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    func lifetime(_ fields: HTTPFields, _ status: HTTPStatus = 200) -> TimeInterval {
      rule.lifetime(of: stored(fields, status: status))
    }
    #expect(lifetime([:]) == 0)
    #expect(lifetime(["Cache-Control": "max-age=60", "Expires": "0"]) == 60)
    #expect(lifetime(["Cache-Control": "s-maxage=60, max-age=5"]) == 5)
    #expect(lifetime(["Cache-Control": "max-age=x", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]) == 0)
    #expect(lifetime(["Date": date, "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]) == 3600)
    #expect(
      lifetime(["Date": "Sun, 06 Nov 1994 09:49:36 GMT", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]) == 1)
    #expect(lifetime(["Date": "?", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]) == 3600)
    #expect(lifetime(["Date": date, "Expires": "Sun, 06 Nov 1993 09:49:37 GMT"]) == 0)
    // A tenth of the resource's age, and at most a day.
    #expect(lifetime(["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"]) == 100)
    #expect(lifetime(["Date": date, "Last-Modified": "Sat, 06 Nov 1993 08:49:37 GMT"]) == 86_400)
    #expect(lifetime(["Date": date, "Last-Modified": "Mon, 06 Nov 1995 08:49:37 GMT"]) == 0)
    #expect(lifetime(["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"], 403) == 0)
    #expect(
      lifetime(
        ["Date": date, "Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Cache-Control": "public"], 403)
        == 100)
  }

  @Test(arguments: [
    ("5", 5.0), ("5, 7", 5), ("abc", 0), ("-5", 0), ("5.5", 0), ("2147483650", 2_147_483_648), ("", 0),
    ("0, x", 0),
  ])
  func `the age of a response when it arrives`(text: String, age: TimeInterval) {
    #expect(rule.initialAge(of: ["Age": text], delay: 0) == age)
    #expect(rule.initialAge(of: ["Age": text], delay: 3) == age + 3)
  }

  @Test func `a response is as old as its Date says, if that is more than its Age`() {
    #expect(rule.initialAge(of: ["Date": "Sun, 06 Nov 1994 08:49:27 GMT", "Age": "3"], delay: 1) == 10)
    #expect(rule.initialAge(of: ["Date": "Sun, 06 Nov 1994 08:59:27 GMT", "Age": "3"], delay: 1) == 4)
    #expect(rule.age(of: stored([:], initialAge: 4, secondsAgo: 6)) == 10)
    #expect(rule.age(of: stored([:], initialAge: 4, secondsAgo: -1)) == 4)
    #expect(rule.age(of: stored([:], initialAge: 4, secondsAgo: -3)) == nil)
  }

  @Test(arguments: [
    (200, "max-age=1", "", true), (200, "no-store", "", false), (200, "max-age=1", "no-store", false),
    (206, "", "", true), (304, "max-age=1", "", false), (199, "max-age=1", "", false), (599, "", "", false),
    (599, "max-age=1", "", true), (200, "no-store, must-understand", "", true),
    (599, "max-age=1, must-understand", "", false), (302, "", "", false), (301, "", "", true),
    (500, "private", "", true),
  ])
  func `which responses may be stored`(status: Int, response: String, request: String, mayStore: Bool) {
    func fields(_ text: String) -> HTTPFields { text.isEmpty ? [:] : ["Cache-Control": text] }
    #expect(rule.mayStore(HTTPStatus(status), fields(response), to: fields(request)) == mayStore)
  }

  @Test func `a response that no later request can select is not stored`() {
    #expect(!rule.mayStore(200, ["Cache-Control": "max-age=1", "Vary": "Accept, *"], to: [:]))
    #expect(rule.mayStore(200, ["Cache-Control": "max-age=1", "Vary": "Accept"], to: ["Authorization": "x"]))
  }

  @Test(arguments: [
    // The response, its age, the request, and the decision.
    ("max-age=60", 59.0, "", CacheUse.Verdict.deliver), ("max-age=60", 60, "", .validate),
    ("max-age=60, no-cache", 0, "", .validate), ("max-age=60, no-cache=\"A\"", 0, "", .deliver),
    ("max-age=60", 10, "max-age=10", .deliver), ("max-age=60", 11, "max-age=10", .validate),
    ("max-age=60", 0, "max-age=0", .validate), ("max-age=60, immutable", 10, "max-age=0", .deliver),
    ("max-age=60, immutable", 10, "no-cache", .validate), ("max-age=60, immutable", 61, "", .validate),
    ("max-age=60", 50, "min-fresh=10", .deliver), ("max-age=60", 51, "min-fresh=10", .validate),
    ("max-age=60", 70, "max-stale", .deliver), ("max-age=60", 70, "max-stale=10", .deliver),
    ("max-age=60", 71, "max-stale=10", .validate),
    ("max-age=60, must-revalidate", 70, "max-stale", .validate),
    ("max-age=60, stale-while-revalidate=10", 70, "", .deliverAndValidate),
    ("max-age=60, stale-while-revalidate=10", 71, "", .validate),
    ("max-age=60, stale-while-revalidate=10, must-revalidate", 65, "", .validate),
    ("max-age=60", 0, "no-cache", .validate), ("max-age=60", 0, "max-age=x", .validate),
    ("max-age=60", 0, "min-fresh=x", .validate),
  ])
  func `what a stored response is good for`(
    response: String, age: TimeInterval, request: String, verdict: CacheUse.Verdict
  ) {
    let use = rule.use(
      of: stored(["Cache-Control": response], secondsAgo: age),
      for: request.isEmpty ? [:] : ["Cache-Control": request])
    #expect(use.verdict == verdict && use.age == age && use.ttl == 60 - age)
  }

  @Test func `a response is validated when a request has changed it, or when the clock went back`() {
    var invalid = stored(["Cache-Control": "max-age=60"])
    invalid.exchange?.isInvalid = true
    #expect(rule.use(of: invalid, for: [:]).verdict == .validate)
    #expect(!rule.mayReplaceError(invalid, for: [:], isDisconnected: true))
    let later = stored(["Cache-Control": "max-age=60"], secondsAgo: -100)
    #expect(rule.use(of: later, for: [:]).verdict == .validate)
    #expect(
      rule.use(of: stored(["Cache-Control": "max-age=60"]), for: ["Pragma": "no-cache"]).verdict == .validate)
    #expect(
      rule.use(
        of: stored(["Cache-Control": "max-age=60"]),
        for: ["Pragma": "no-cache", "Cache-Control": "max-age=9"]
      )
      .verdict == .deliver)
    #expect(
      rule.use(of: stored(["Cache-Control": "max-age=60", "Pragma": "no-cache"]), for: [:]).verdict
        == .deliver)
  }

  @Test func `Pragma in a response forbids a heuristic lifetime only`() {
    func lifetime(_ fields: HTTPFields) -> TimeInterval {
      var fields = fields
      fields.set("Last-Modified", "Sat, 05 Nov 1994 08:49:37 GMT")
      return rule.lifetime(of: stored(fields))
    }
    #expect(lifetime([:]) > 0 && lifetime(["Pragma": "no-cache"]) == 0)
    #expect(lifetime(["Pragma": "No-Cache", "Cache-Control": "max-age=9"]) == 9)
  }

  @Test(arguments: [
    ("max-age=1", "", true, false), ("max-age=1, must-revalidate", "", false, false),
    ("max-age=1, no-cache", "", false, false), ("max-age=1, stale-if-error=60", "", true, true),
    ("max-age=1, stale-if-error=8", "", false, false), ("max-age=1", "stale-if-error=60", true, true),
    ("max-age=1", "max-stale=8", false, false), ("max-age=1", "max-stale=9", true, false),
    ("max-age=1, stale-if-error=8", "max-stale", true, false),
    ("max-age=1", "stale-if-error=8", false, false),
    ("max-age=1, stale-if-error=60", "max-stale=8", false, true), ("max-age=1", "max-stale=x", true, false),
    ("max-age=1", "no-cache", false, false), ("max-age=1", "max-age=5", false, false),
    ("max-age=1, stale-if-error=60", "no-cache", true, true),
    ("max-age=1, must-revalidate, stale-if-error=60", "", false, false),
  ])
  func `when a stale response may replace an error`(
    response: String, request: String, ifDisconnected: Bool, otherwise: Bool
  ) {
    let found = stored(["Cache-Control": response], secondsAgo: 10)
    let fields: HTTPFields = request.isEmpty ? [:] : ["Cache-Control": request]
    #expect(rule.mayReplaceError(found, for: fields, isDisconnected: true) == ifDisconnected)
    #expect(rule.mayReplaceError(found, for: fields, isDisconnected: false) == otherwise)
  }
}
