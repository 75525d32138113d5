import ErrandCore
import ErrandOutbox

/// The task that the arguments of `errand outbox` describe.
struct OutboxAction: Sendable, Hashable {
  enum Task: Sendable, Hashable {
    case list(OutboxListing)
    case show(id: String)
    case run(OutboxRun)
    case watch
    case stats
    case retry(OutboxChoice)
    case drop(OutboxChoice)
    case pause(lane: String?)
    case resume(lane: String?)
    case export(OutboxListing, ids: [String])
    /// Imports the file at a path; nil for standard input.
    case `import`(path: String?)
  }

  var task: Task
  /// The folder of the outbox, or nil for the usual one.
  var store: String?
  var format = OutputFormat.plain
}

/// The stored requests that a command shows.
struct OutboxListing: Sendable, Hashable {
  var states: Set<OutboxState>?
  var lane: String?
  /// Only requests after this place in the order.
  var after: Int64 = 0
  /// The greatest number of requests; nil for all.
  var limit: Int?
}

/// The stored requests that a command changes: beginnings or ends of IDs, or all requests.
enum OutboxChoice: Sendable, Hashable {
  case ids([String])
  case all
}

/// The options of errand outbox run.
struct OutboxRun: Sendable, Hashable {
  /// When a run ends without a signal.
  enum End: Sendable, Hashable {
    case never
    /// When no request is left that can be delivered without help, however long that takes.
    case empty
    /// When no request is left that may be attempted now; those whose time has not come stay.
    case idle
  }

  var end = End.never
  var concurrency: Int?
  /// How long attempts under way may take to end after a signal.
  var grace = Duration.seconds(10)
  var timeout: Duration?
  var connection = ConnectionArguments()
  /// The header fields that are added at each attempt, and are not stored.
  var fields: [HTTPFields.Field] = []
  /// The origins that may receive these header fields; empty for all.
  var origins: Set<Origin> = []
}
