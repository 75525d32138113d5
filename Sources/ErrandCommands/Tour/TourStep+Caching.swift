import ErrandCore
import ErrandTesting

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
