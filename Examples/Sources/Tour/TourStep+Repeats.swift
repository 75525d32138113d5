import Errand
import ErrandTesting
import Foundation

extension TourStep {
  static let twentyTaps = TourStep("Twenty taps on a button send one request, and nineteen get an error") {
    stage in
    stage.server.on("POST", "/likes") { _ in .response(status: 201, body: "liked") }
    let like = Request.post(stage.server.url("/likes"), .text("photo 7")).ignoringRepeats()
    let calls = (0..<20).map { _ in stage.client.start(like) }
    var ignored: [RequestError] = []
    var responses: [Response] = []
    for call in calls {
      if let error = await stage.failure(.ignoredRepeat, of: call) {
        ignored.append(error)
      } else {
        responses.append(try await call.value)
      }
    }
    stage.client(responses.map { "\($0.status), \($0.text)" }.joined(separator: "; "))
    stage.client("\(ignored.count) ignored; the first: \(ignored.first?.message ?? "none")")
    stage.server("\(stage.server.requests.count) request")
    stage.promise("one request is sent", stage.server.requests.count == 1 && responses.count == 1)
    stage.promise("nineteen repeats are ignored", ignored.count == 19)
    stage.promise("ignored repeats never reach the server", ignored.allSatisfy { !$0.reachedServer })
  }

  static let twentyCallers = TourStep(
    "Twenty callers share one request; cancelling one caller does not affect the others"
  ) { stage in
    let gate = TourGate()
    stage.server.on("GET", "/feed") { request in
      gate.pass()
      return .response(body: "feed \(request.index + 1)")
    }
    let feed = Request.get(stage.server.url("/feed")).shared()
    // All callers must begin before the response arrives, because later callers do not share it.
    let callers = (0..<20).map { _ in TourStage.begin(feed, by: stage.client) }
    try await stage.server.waitForRequests(1)
    callers[0].cancel()
    let error = try await stage.failure(.cancelled) { try await callers[0].value }
    gate.open()
    var responses: [String] = []
    for caller in callers.dropFirst() { responses.append(try await caller.value.text) }
    stage.client("the first caller: \(error.message)")
    stage.client("\(responses.count) responses: \(Set(responses).sorted().joined(separator: ", "))")
    stage.server("\(stage.server.requests.count) request")
    stage.promise("one request is sent", stage.server.requests.count == 1)
    stage.promise("each caller gets the same response", responses == Array(repeating: "feed 1", count: 19))
  }

  static let fourStates = TourStep(
    "Sharing within 3 s: before or after 3 s, with a pending or a known response"
  ) {
    stage in
    let clock = VirtualClock()
    let client = TourStage.makeClient { $0.clock = clock }
    let gate = TourGate()
    stage.server.on("GET", "/feed") { request in
      gate.pass()
      return .response(body: "feed \(request.index + 1)")
    }
    let feed = Request.get(stage.server.url("/feed")).shared(within: .seconds(3))
    func sent() -> String { "\(stage.server.requests.count) sent" }

    let first = TourStage.begin(feed, by: client)
    try await stage.server.waitForRequests(1)
    let early = TourStage.begin(feed, by: client)
    let sentWhenOpen = sent()
    await clock.advance(by: .seconds(3))
    let late = TourStage.begin(feed, by: client)
    // Waits until the late caller waits for the response, too.
    await clock.advance(by: .zero)
    let sentWhenOver = sent()
    gate.open()
    var texts = [try await first.value.text, try await early.value.text, try await late.value.text]
    stage.client("before 3 s, pending: waits with the first caller, gets \(texts[1]); \(sentWhenOpen)")
    stage.client("after 3 s, pending:  waits with them, gets \(texts[2]); \(sentWhenOver)")
    texts.append(try await client.send(feed).text)
    stage.client("after 3 s, known:    sends a new request, gets \(texts[3]); \(sent())")
    await clock.advance(by: .milliseconds(2999))
    texts.append(try await client.send(feed).text)
    stage.client("before 3 s, known:   gets \(texts[4]) at once; \(sent())")
    stage.server("\(stage.server.requests.count) requests for \(texts.count) callers")
    stage.promise(
      "each caller gets the right response", texts == ["feed 1", "feed 1", "feed 1", "feed 2", "feed 2"])
    stage.promise(
      "two requests are sent",
      stage.server.requests.count == 2 && [sentWhenOpen, sentWhenOver] == ["1 sent", "1 sent"])
  }

  static let tenKeystrokes = TourStep("Ten keystrokes give one result: the newest search cancels the others")
  { stage in
    let word = "networking"
    stage.server.on("GET", "/search") { $0.query == "q=\(word)" ? .response(body: "17 hits") : .stall }
    var calls: [Call] = []
    for count in 1...word.count {
      let search = Request.get(stage.server.url("/search"), query: ["q": String(word.prefix(count))])
      calls.append(stage.client.start(search.latest("search")))
      try await stage.server.waitForRequests(count)
    }
    var superseded = 0
    for call in calls.dropLast() {
      if await stage.failure(.cancelled, of: call)?.cancellation == .superseded { superseded += 1 }
    }
    let result = try await calls.last?.value.text ?? "none"
    stage.client("\(superseded) searches superseded; result for \(word): \(result)")
    let record = try await stage.server.wait(for: "nine closed connections") { record in
      record.requests.count(where: \.wasAbandoned) == 9
    }
    stage.server(
      "\(record.requests.count) requests; \(record.requests.count(where: \.wasAbandoned)) closed before a response"
    )
    stage.promise("nine searches are superseded", superseded == 9)
    stage.promise("the last search has a result", result == "17 hits")
  }
}

extension TourStep {
  static let kept = TourStep(
    "A cached response comes at once, before the new one, and also while the server is down"
  ) { stage in
    stage.server.on("GET", "/feed") { .response(body: "feed \($0.index + 1)") }
    let feed = Request.get(stage.server.url("/feed")).cached(as: "feed", .staleIfError)
    var seen = [text(try await stage.client.send(feed))]
    stage.client("first request: \(seen[0])")
    for try await response in stage.client.responses(to: feed) { seen.append(text(response)) }
    stage.client("second request: \(seen.dropFirst().joined(separator: ", then "))")
    stage.server("\(stage.server.requests.count) requests; then it stops")
    stage.server.stop()
    seen.append(text(try await stage.client.send(feed.bestEffort())))
    stage.client("while the server is down: \(seen.last ?? "nothing")")
    stage.promise(
      "the responses come in this order", seen == ["feed 1", "feed 1 (cached)", "feed 2", "feed 2 (cached)"])
  }

  private static func text(_ response: Response) -> String {
    response.text + (response.cachedAt == nil ? "" : " (cached)")
  }

  static let keptApart = TourStep("Two users never share a cached response, even under one cache name") {
    stage in
    stage.server.on("GET", "/me") { request in
      .response(body: request.fields["Authorization"] == "Bearer a" ? "Ada" : "Bob")
    }
    let me = Request.get(stage.server.url("/me")).cached(as: "me")
    var seen: [String] = []
    for token in ["a", "b", "a", "b"] {
      seen.append(text(try await stage.client.send(me.bearer(token))))
    }
    stage.client(seen.joined(separator: ", "))
    stage.server("\(stage.server.requests.count) requests, one for each user")
    stage.promise(
      "each user gets the right response", seen == ["Ada", "Bob", "Ada (cached)", "Bob (cached)"])
    stage.promise("one request is sent for each user", stage.server.requests.count == 2)
  }
}
