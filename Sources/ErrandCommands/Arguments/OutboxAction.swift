import ErrandCore
import ErrandOutbox

/// What `errand outbox` is to do.
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
    /// Nil for standard input.
    case `import`(path: String?)
  }

  var task: Task
  /// Nil for the usual folder.
  var store: String?
  var format = OutputFormat.plain
}

/// Which of the stored requests are to be shown.
struct OutboxListing: Sendable, Hashable {
  var states: Set<OutboxState>?
  var lane: String?
  /// Those after this place in the order.
  var after: Int64 = 0
  /// Nil for all.
  var limit: Int?
}

/// Which of the stored requests are meant: the beginnings or ends of their names, or everything.
enum OutboxChoice: Sendable, Hashable {
  case ids([String])
  case all
}

/// How stored requests are to be delivered.
struct OutboxRun: Sendable, Hashable {
  /// When it ends, if it is not told to stop.
  enum End: Sendable, Hashable {
    case never
    /// When nothing is left that may go without help, however long that takes.
    case empty
    /// When nothing is left that may go now; what waits for its time is left.
    case idle
  }

  var end = End.never
  var concurrency: Int?
  /// How long what is under way may take to end when it is told to stop.
  var grace = Duration.seconds(10)
  var timeout: Duration?
  var connection = ConnectionArguments()
  /// What is added to requests at each try, and is not stored.
  var fields: [HTTPFields.Field] = []
  /// Where these fields may go; none for everywhere.
  var origins: Set<Origin> = []
}
