package import ErrandOutbox

/// The task of a worker, as its command-line arguments.
package struct WorkerOrders: Sendable {
  /// The point at which the worker ends itself.
  package enum End: Sendable, Hashable, CustomStringConvertible {
    /// After it has delivered everything.
    case done
    /// When it passes this failpoint for the n-th time.
    case place(Failpoint, Int)
    /// At the n-th failpoint that it passes.
    case anyPlace(Int)
    /// In the middle of the n-th change on its disk: half of a write is done.
    case change(Int)

    package var description: String {
      switch self {
      case .done: "done"
      case .place(let place, let count): "\(place.rawValue):\(count)"
      case .anyPlace(let count): "any:\(count)"
      case .change(let count): "change:\(count)"
      }
    }

    package init?(_ text: String) {
      if text == "done" {
        self = .done
        return
      }
      let parts = text.split(separator: ":")
      guard parts.count == 2, let count = Int(parts[1]) else { return nil }
      if parts[0] == "any" {
        self = .anyPlace(count)
      } else if parts[0] == "change" {
        self = .change(count)
      } else {
        guard let place = Failpoint(rawValue: String(parts[0])) else { return nil }
        self = .place(place, count)
      }
    }
  }

  package var folder: String
  /// The URL of a PostgreSQL database, and a schema, used instead of a folder.
  package var database: (url: String, schema: String)?
  package var server: String
  /// The numbers of the test requests that it enqueues.
  package var numbers: Range<Int>
  package var end = End.done
  package var seed: UInt64 = 0
  /// True to encrypt the outbox.
  package var seals = false
  /// True to report the outbox's entries at the end, and each failpoint as it is passed.
  package var isTalkative = false
  /// True to use the system's reachability.
  package var watchesNetwork = false
  /// The time-out of an attempt, in milliseconds.
  package var attemptLimit = 20_000
  /// The length of a lease, in milliseconds.
  package var lease = 60_000
  /// The number of attempts after which a request becomes a dead letter.
  package var maxAttempts = 100
  /// True to enqueue uploads that resume instead of the test requests (`TestUpload`).
  package var uploads = false

  package init(folder: String, server: String, numbers: Range<Int>) {
    self.folder = folder
    self.server = server
    self.numbers = numbers
  }

  package var words: [String] {
    [
      folder, server, "\(numbers.lowerBound)", "\(numbers.upperBound)", "\(end)", "\(seed)", "\(seals)",
      "\(isTalkative)", "\(watchesNetwork)", "\(attemptLimit)", "\(lease)", "\(maxAttempts)",
      "\(uploads)",
    ] + (database.map { [$0.url, $0.schema] } ?? [])
  }

  package init?(words: [String]) {
    guard words.count == 13 || words.count == 15, let first = Int(words[2]), let last = Int(words[3]),
      first <= last,
      let end = End(words[4]), let seed = UInt64(words[5]), let seals = Bool(words[6]),
      let isTalkative = Bool(words[7]), let watchesNetwork = Bool(words[8]), let attemptLimit = Int(words[9]),
      let lease = Int(words[10]), let maxAttempts = Int(words[11]),
      let uploads = Bool(words[12])
    else { return nil }
    self.init(folder: words[0], server: words[1], numbers: first..<last)
    (self.end, self.seed, self.seals, self.isTalkative) = (end, seed, seals, isTalkative)
    (self.watchesNetwork, self.attemptLimit, self.lease) = (watchesNetwork, attemptLimit, lease)
    (self.maxAttempts, self.uploads) = (maxAttempts, uploads)
    if words.count == 15 { database = (words[13], words[14]) }
  }
}
