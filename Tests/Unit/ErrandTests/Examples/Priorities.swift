// swift-format-ignore-file
import Errand
import Foundation

struct Priorities {
  let page: RequestScope

  func slots(_ client: Client) {
    client.limits = ConcurrencyLimits(total: 100, perOrigin: 8)

    let thumbnails = Request.get(photoURL).inBackground()
    let visible = Request.get(photoURL).priority(.userInitiated)
    _ = (thumbnails, visible)
  }

  func calls(_ client: Client) async throws {
    let login = client.start(.post(loginURL, json: Like(id: 1)))
    let inbox = client.start(.get(inboxURL).after(login))   // fails by name if the login fails
    print(try await inbox.value.text)
  }

  func watching(_ client: Client) async throws {
    let export = client.start(.get(feedURL).priority(.background), in: page)
    for await progress in export.progress {
      print("\(progress.received) bytes")
    }
    export.raisePriority(to: .userInitiated)   // the user opened the page
  }

  func activities(_ client: Client) async throws {
    let activity = RequestActivity("Loading")
    try await client.send(.get(feedURL).activity(activity))
    try await client.send(.post(loginURL).mustFinishFirst(activity, text: "Signing in"))
    for await now in activity.updates where now.isShown { print(now.text) }
  }
}
