import Dispatch
import Errand
import ErrandTesting
import Foundation

/// Reads a feed (https://jsonfeed.org) and the beginnings of its pages.
///
///     swift run FeedReader            # uses the feed of a local server
///     swift run FeedReader URL
///
/// It shows the cached feed of the last run at once, and then the new one. Three views load the feed with one
/// request. Control-C cancels the requests in flight.
@main struct FeedReader {
  static func main() async throws {
    let server = CommandLine.arguments.count > 1 ? nil : try FeedServer()
    let feedURL = server?.url ?? CommandLine.arguments[1]

    var configuration = ClientConfiguration()
    let folder = URL.temporaryDirectory.appending(path: "errand-feed-reader")
    configuration.cache = DiskResponseCache(folder: folder, limit: 10 << 20)
    let client = Client(configuration: configuration)

    // Ending this scope cancels all requests of this reader.
    let reading = RequestScope("reading")
    let interruption = onControlC { reading.cancel(reason: .other("control-C was pressed")) }
    defer { interruption.cancel() }

    do {
      let feed = try await newest(of: feedURL, client, reading)
      try await inThreeViews(feedURL, client, reading)
      try await pages(of: feed, client, reading)
    } catch  where error.isCancellation {
      print("Stopped: \(error)")
    }
    if let server { print("The server received \(server.feeds) requests for the feed.") }
    await client.shutdown()
  }

  /// Shows the cached feed of an earlier run, if any, and then the new one.
  static func newest(of url: String, _ client: Client, _ scope: RequestScope) async throws -> Feed {
    var newest = Feed(title: "no feed", items: [])
    let request = Request.get(url).cached(as: "feed", .staleWhileRevalidate)
    for try await response in client.responses(to: request, in: scope) {
      newest = try response.decode(Feed.self)
      let age = response.cachedAt.map { "cached at \($0)" } ?? "from the network"
      print("\(newest.title), \(age): \(newest.items.count) articles")
    }
    return newest
  }

  /// Loads the feed for a list, a badge and a menu, with one request for all three.
  static func inThreeViews(_ url: String, _ client: Client, _ scope: RequestScope) async throws {
    let request = Request.get(url).shared(within: .seconds(3))
    try await withThrowingTaskGroup { group in
      for view in ["list", "badge", "menu"] {
        group.addTask {
          let feed = try await client.send(request, in: scope).decode(Feed.self)
          print("The \(view) has \(feed.items.count) articles.")
        }
      }
      try await group.waitForAll()
    }
  }

  /// Loads the pages, four at once, which is the client's limit for one server. The first page has a higher
  /// priority, because the user is looking at it.
  static func pages(of feed: Feed, _ client: Client, _ scope: RequestScope) async throws {
    try await withThrowingTaskGroup { group in
      for (place, item) in feed.items.enumerated() {
        let request = Request.get(item.url).priority(place == 0 ? .userInitiated : .background)
        group.addTask {
          let page = try await client.send(request.memoryLimit(4 << 20), in: scope)
          print("\(item.title): \(page.text.prefix(40)) … in \(page.timing.total)")
        }
      }
      try await group.waitForAll()
    }
  }
}

struct Feed: Codable {
  struct Item: Codable {
    var title: String
    var url: String
  }

  var title: String
  var items: [Item]
}

/// Calls `action` each time control-C is pressed, until it is cancelled.
func onControlC(_ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
  let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
  source.setEventHandler(handler: action)
  source.resume()
  #if canImport(Darwin)
    signal(SIGINT, SIG_IGN)  // otherwise the signal would also end the process on Apple's platforms
  #endif
  return source
}

/// A server with a feed of twelve articles that arrive slowly.
struct FeedServer {
  private let server: MockServer

  var url: String { server.url("/feed.json").absoluteString }
  var feeds: Int { server.count("/feed.json") }

  init() throws {
    let server = try MockServer()
    let items = (1...12).map {
      Feed.Item(title: "Article \($0)", url: server.url("/\($0).html").absoluteString)
    }
    let feed = try JSONEncoder().encode(Feed(title: "A feed of slow articles", items: items))
    server.on("GET", "/feed.json") { _ in .response(body: feed).pausing(.milliseconds(200)) }
    server.otherwise { request in
      .response(body: "This is the text of \(request.path), which arrives slowly.").pausing(.seconds(1))
    }
    self.server = server
  }
}
