// swift-format-ignore-file
// The README's examples, compiled. `ReadmeTests` checks that every one of them stands here word for word.
import Errand
import ErrandCurl
import Foundation

struct User: Decodable {}
struct Like: Encodable { var id: Int }
struct TooShort: Error {}
struct Signature: Interceptor {
  func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
}
func show(_ text: String) {}

@MainActor final class Profile: RequestOwner {
  let requests = RequestScope("profile")
  var name = ""

  func load(_ client: Client) {
    client.send(.get("https://api.example.com/me"), for: self) { profile, result in
      profile.name = (try? result.get().text) ?? ""
    }
  }
}

struct StageExamples {
  let photoURL, feedURL, likeURL, searchURL, loginURL, inboxURL, profileURL: URL
  let folder: URL
  let text: String

  func scopes(_ client: Client) async throws {
    let page = RequestScope("profile")
    let photo = try await client.send(.get(photoURL), in: page)

    // pages on a navigation stack: exactly those that leave are ended, topmost first
    let stack = ScopeStack("shop")
    let list = stack.push("list")
    let item = stack.push("item")
    stack.pop()

    // for the length of a block
    try await withRequestScope("import") { scope in
      scope.task { try await client.send(.get(photoURL)) }
      try await client.send(.get(feedURL), in: scope)
    }
    _ = (photo, list, item)
  }

  func repeats(_ client: Client) async throws {
    // a double tap: the second fails at once, with .ignoredRepeat
    try await client.send(.post(likeURL).ignoringRepeats(within: .seconds(3)))

    // ten refreshes, one request on the wire, ten responses
    let feed = try await client.send(.get(feedURL).shared(within: .seconds(3)))

    // search as you type: the newest wins, the ones it overtakes are cancelled
    let hits = try await client.send(.get(searchURL, query: ["q": text]).latest("search"))
    _ = (feed, hits)
  }

  func order(_ client: Client) async throws {
    client.limits = ConcurrencyLimits(total: 100, perOrigin: 8)

    let thumbnails = Request.get(photoURL).inBackground()
    let visible = Request.get(photoURL).priority(.userInitiated)

    // a call goes on by itself: wait for it, watch it, cancel it, let other calls wait for it
    let login = client.start(.post(loginURL, json: Like(id: 1)))
    let inbox = client.start(.get(inboxURL).after(login))   // fails by name if the login fails
    show(try await inbox.value.text)
    _ = (thumbnails, visible)
  }

  func activities(_ client: Client) async throws {
    let activity = Activity("Loading")
    try await client.send(.get(feedURL).activity(activity))
    try await client.send(.post(loginURL).mustFinishFirst(activity, text: "Signing in"))
    for await now in activity.updates where now.isShown { show(now.text) }
  }

  func kept() async throws {
    var configuration = ClientConfiguration()
    configuration.cache = DiskResponseCache(folder: folder, limit: 50 << 20)   // in memory if not said
    let client = Client(configuration: configuration)

    let profile = try await client.send(.get(profileURL).cached(as: "profile", .staleIfError))
    for try await feed in client.responses(to: .get(feedURL).cached(as: "feed")) { show(feed.text) }   // cached, then refreshed
    _ = profile
  }
}

struct ReadmeExamples {
  let photo: URL
  let file: URL
  let token: String

  func outbox(_ client: Client, _ folder: URL, _ messageURL: String, _ message: Like) async throws {
    let outbox = try await Outbox(at: folder, client: client)

    // returns once it is stored; requests of one lane go one at a time, in order
    let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
    for await event in receipt.events { show("\(event.step)") }

    // a request that was rejected, or attempted too often, is a dead letter; its lane goes on (or is blocked, as you set)
    for entry in try await outbox.list(OutboxSelection(states: [.deadLettered])) { show("\(entry.url): \(entry.reason ?? "")") }
    try await outbox.retry(OutboxSelection(states: [.deadLettered]))
  }

  func simple() async throws {
    let client = Client()

    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    _ = user
  }

  func kinds(_ client: Client) async throws {
    // JSON, a form, bytes, a file, or fields and files together: values of one type
    try await client.send(.post("https://api.example.com/likes", json: Like(id: 7)))
    try await client.send(.put("https://api.example.com/photo", .file(photo)))
    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    try await client.send(.post("https://api.example.com/photos", .multipart(form)))

    // to a file: whole or not at all, and resumed where it broke off
    try await client.download(.get("https://example.com/video.mp4"), to: file, resume: true) { progress in
      print(progress.received, progress.receivedTotal ?? -1)
    }

    // as it comes, no faster than you take it
    for try await chunk in try await client.stream(.get("https://example.com/log")).chunks {
      print(chunk.count)
    }
  }

  func modifiers() -> Request {
    let request = Request.get("https://api.example.com/feed", query: ["page": "2"])
      .bearer(token)
      .timeout(.seconds(5))       // an attempt ends when nothing moved for this long; 10 s if not given
      .deadline(.seconds(30))     // the whole call ends after this
      .attempts(5)                // 3 if not given; .bestEffort() is one
      .expecting(contentType: "application/json")
      .validate { response in if response.data.count < 2 { throw TooShort() } }
    return request
  }

  func cancellation(_ client: Client, _ request: Request) async {
    do {
      let response = try await client.send(request)
      show(response.text)
    } catch where error.isCancellation {
      // no caller waits any more: nothing to say
    } catch {
      show("\(error)")
    }
  }

  func errors(_ client: Client) async throws {
    do {
      try await client.send(.get("https://user:secret@api.example.com/?token=abc"))
    } catch let error as RequestError where error.code == .cannotResolveHost {
      print(error)  // GET https://***@api.example.com/?token=***: the host api.example.com has no known address (attempt 3)
    }
  }

  func interceptors() {
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(5)
    configuration.interceptors = [Language("de")]        // around the call, once
    configuration.attemptInterceptors = [Signature()]    // around each attempt, closest to the network
    let client = Client(configuration: configuration)

    struct Language: Interceptor {
      let code: String
      init(_ code: String) { self.code = code }

      func intercept(_ request: Request, next: Next) async throws -> Response {
        try await next(request.field("Accept-Language", code))
      }
    }
    _ = client
  }

  func transport() {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = "/etc/my-ca.pem"
    curl.hostOverrides = [.init(host: "api.example.com", port: 443, address: "10.0.0.7")]
    let client = Client(transport: CurlTransport(configuration: curl))
    _ = client
  }
}
