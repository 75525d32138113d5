import Errand
import ErrandTesting
import Foundation

extension TourStep {
  static let twentyTaps = TourStep("Twenty taps on a button are one request, and nineteen are told so") {
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
    stage.promise("one is sent", stage.server.requests.count == 1 && responses.count == 1)
    stage.promise("nineteen are ignored", ignored.count == 19)
    stage.promise("and never left", ignored.allSatisfy { !$0.reachedServer })
  }

  static let twentyCallers = TourStep(
    "Twenty who want the same get it from one request; one who gives up leaves alone"
  ) { stage in
    let gate = ServerGate(limit: .seconds(5))
    stage.server.on("GET", "/feed") { request in
      gate.pass()
      return .response(body: "feed \(request.index + 1)")
    }
    let feed = Request.get(stage.server.url("/feed")).shared()
    // All callers must begin before the response arrives, because it is not shared after that.
    let callers = (0..<20).map { _ in TourStage.begin(feed, by: stage.client) }
    try await stage.server.waitForRequests(1)
    callers[0].cancel()
    let error = try await stage.failure(.cancelled) { try await callers[0].value }
    gate.open()
    var responses: [String] = []
    for caller in callers.dropFirst() { responses.append(try await caller.value.text) }
    stage.client("the first caller gives up: \(error.message)")
    stage.client("\(responses.count) responses: \(Set(responses).sorted().joined(separator: ", "))")
    stage.server("\(stage.server.requests.count) request")
    stage.promise("one request", stage.server.requests.count == 1)
    stage.promise("the same response for each", responses == Array(repeating: "feed 1", count: 19))
  }

  static let fourStates = TourStep("Sharing within 3 s: window open or over, result pending or here") {
    stage in
    let clock = VirtualClock()
    let client = TourStage.makeClient { $0.clock = clock }
    let gate = ServerGate(limit: .seconds(5))
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
    clock.advance(by: .seconds(3))
    let late = TourStage.begin(feed, by: client)
    let sentWhenOver = sent()
    gate.open()
    var texts = [try await first.value.text, try await early.value.text, try await late.value.text]
    stage.client("open, pending: waits with the first, gets \(texts[1]); \(sentWhenOpen)")
    stage.client("over, pending: waits with them still, gets \(texts[2]); \(sentWhenOver)")
    texts.append(try await client.send(feed).text)
    stage.client("over, here:    a new request goes out, gets \(texts[3]); \(sent())")
    clock.advance(by: .milliseconds(2999))
    texts.append(try await client.send(feed).text)
    stage.client("open, here:    at once, gets \(texts[4]); \(sent())")
    stage.server("\(stage.server.requests.count) requests for \(texts.count) callers")
    stage.promise("each gets what is due", texts == ["feed 1", "feed 1", "feed 1", "feed 2", "feed 2"])
    stage.promise(
      "two requests",
      stage.server.requests.count == 2 && [sentWhenOpen, sentWhenOver] == ["1 sent", "1 sent"])
  }

  static let tenKeystrokes = TourStep("Ten keystrokes bring one result: the newest wins") { stage in
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
    stage.client("\(superseded) superseded, then for \(word): \(result)")
    let record = try await stage.server.wait(for: "nine that are closed") { record in
      record.requests.count(where: \.wasAbandoned) == 9
    }
    stage.server(
      "\(record.requests.count) requests; \(record.requests.count(where: \.wasAbandoned)) closed unanswered")
    stage.promise("nine are superseded", superseded == 9)
    stage.promise("one result", result == "17 hits")
  }
}

extension TourStep {
  static let kept = TourStep(
    "A cached response is there at once, then the new one; and when the server is down"
  ) { stage in
    stage.server.on("GET", "/feed") { .response(body: "feed \($0.index + 1)") }
    let feed = Request.get(stage.server.url("/feed")).cached(as: "feed", .staleIfError)
    var seen = [text(try await stage.client.send(feed))]
    stage.client("sent for the first time: \(seen[0])")
    for try await response in stage.client.responses(to: feed) { seen.append(text(response)) }
    stage.client("what is kept, then what is new: \(seen.dropFirst().joined(separator: ", then "))")
    stage.server("\(stage.server.requests.count) requests, and is stopped")
    stage.server.stop()
    seen.append(text(try await stage.client.send(feed.bestEffort())))
    stage.client("while the server is down: \(seen.last ?? "nothing")")
    stage.promise("in this order", seen == ["feed 1", "feed 1 (kept)", "feed 2", "feed 2 (kept)"])
  }

  private static func text(_ response: Response) -> String {
    response.text + (response.cachedAt == nil ? "" : " (kept)")
  }

  static let keptApart = TourStep("Two users never share a cached response, whatever it is kept as") {
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
    stage.server("\(stage.server.requests.count) requests, one of each")
    stage.promise("each gets their own", seen == ["Ada", "Bob", "Ada (kept)", "Bob (kept)"])
    stage.promise("each is asked for once", stage.server.requests.count == 2)
  }
}
