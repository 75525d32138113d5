import Dispatch
import Errand
import ErrandTesting
import Foundation

/// Reads a feed (https://jsonfeed.org) and the beginnings of the pages that it names.
///
///     swift run FeedReader            # a feed of its own, on this machine
///     swift run FeedReader URL
///
/// The feed of the last run is shown at once, and then the present one. Three views ask for it, and it is sent
/// once. Control-C cancels whatever is under way, and only that.
@main struct FeedReader {
  static func main() async throws {
    let server = CommandLine.arguments.count > 1 ? nil : try FeedServer()
    let feedURL = server?.url ?? CommandLine.arguments[1]

    var configuration = ClientConfiguration()
    let folder = URL.temporaryDirectory.appending(path: "errand-feed-reader")
    configuration.cache = DiskResponseCache(folder: folder, limit: 10 << 20)
    let client = Client(configuration: configuration)

    // All that this reader asks for ends with this scope.
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
    if let server { print("The server was asked for the feed \(server.feeds) times in all.") }
    await client.shutdown()
  }

  /// Shows the feed of the last run, if there is one, and then the present one.
  static func newest(of url: String, _ client: Client, _ scope: RequestScope) async throws -> Feed {
    var newest = Feed(title: "nothing", items: [])
    let request = Request.get(url).cached(as: "feed", .staleWhileRevalidate)
    for try await response in client.responses(to: request, in: scope) {
      newest = try response.decode(Feed.self)
      let age = response.cachedAt.map { "as of \($0)" } ?? "from the network"
      print("\(newest.title), \(age): \(newest.items.count) articles")
    }
    return newest
  }

  /// A list, a badge and a menu show the same feed: one request, three responses.
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

  /// The pages come four at once, which is the client's limit for one server. The first one is looked at.
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
    signal(SIGINT, SIG_IGN)  // there the signal would end the process beside the source
  #endif
  return source
}

/// A feed of twelve articles, which are slow to come.
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
      .response(body: "This is what \(request.path) has to say, and it takes its time.").pausing(.seconds(1))
    }
    self.server = server
  }
}
