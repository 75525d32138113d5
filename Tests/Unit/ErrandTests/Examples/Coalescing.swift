// swift-format-ignore-file
import Errand
import Foundation

struct Coalescing {
  let conversation: Int
  let text: String

  func repeats(_ client: Client) async throws {
    // a double tap: the second request fails at once, with the code .ignoredRepeat
    try await client.send(.post(likeURL).ignoringRepeats(within: .seconds(3)))

    // ten refreshes: one request on the wire, ten responses
    let feed = try await client.send(.get(feedURL).shared(within: .seconds(3)))

    // search as you type: the newest request wins, and cancels the one before it
    let hits = try await client.send(.get(searchURL, query: ["q": text]).latest("search"))
    _ = (feed, hits)
  }

  func writes(_ client: Client) async throws {
    let profile = Request.get(profileURL).shared(within: .seconds(10), key: "profile").cached(as: "profile")
    _ = try await client.send(profile)
    try await client.send(.put(profileURL, json: Message()).invalidating("profile"))
    let new = try await client.send(profile)   // asks the server
    _ = new
  }

  func key(_ client: Client) async throws {
    let mine = RequestKey(conversation)
    try await client.send(.post(messageURL).ignoringRepeats(within: .seconds(3), key: mine))
  }

  func sharing(_ client: Client) async throws {
    let prices = try await client.send(
      .get(pricesURL).shared(within: .seconds(10), failures: .retried, whenAbandoned: .finishes))
    _ = prices
  }

  func joining(_ client: Client) async throws {
    let call = client.start(.get(pricesURL))
    async let list = call.value
    async let chart = call.value
    print("\(try await list.status), \(try await chart.status)")
  }
}
