package import ErrandOutbox

/// What a worker is to do, as the words of its command line.
package struct WorkerOrders: Sendable {
  /// Where it ends itself.
  package enum End: Sendable, Hashable, CustomStringConvertible {
    /// When it has delivered everything.
    case done
    /// At the n-th time that it passes this place.
    case place(Failpoint, Int)
    /// At the n-th place that it passes, whichever that is.
    case anyPlace(Int)
    /// In the midst of the n-th change on its disk, whoever makes it: half of a write is done.
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
  package var server: String
  /// The numbers of the parcels that it enqueues.
  package var numbers: Range<Int>
  package var end = End.done
  package var seed: UInt64 = 0
  /// True to encrypt what is stored.
  package var seals = false
  /// True to say at the end what the outbox holds, and each place as it is passed.
  package var isTalkative = false
  /// True to listen to the system's word on the network.
  package var watchesNetwork = false
  /// How long a try may take: milliseconds.
  package var tryLimit = 20_000
  /// How long a lease lasts: milliseconds.
  package var lease = 60_000
  /// After so many tries a request is set aside.
  package var maxTries = 100

  package init(folder: String, server: String, numbers: Range<Int>) {
    self.folder = folder
    self.server = server
    self.numbers = numbers
  }

  package var words: [String] {
    [
      folder, server, "\(numbers.lowerBound)", "\(numbers.upperBound)", "\(end)", "\(seed)", "\(seals)",
      "\(isTalkative)", "\(watchesNetwork)", "\(tryLimit)", "\(lease)", "\(maxTries)",
    ]
  }

  package init?(words: [String]) {
    guard words.count == 12, let first = Int(words[2]), let last = Int(words[3]), first <= last,
      let end = End(words[4]), let seed = UInt64(words[5]), let seals = Bool(words[6]),
      let isTalkative = Bool(words[7]), let watchesNetwork = Bool(words[8]), let tryLimit = Int(words[9]),
      let lease = Int(words[10]), let maxTries = Int(words[11])
    else { return nil }
    self.init(folder: words[0], server: words[1], numbers: first..<last)
    (self.end, self.seed, self.seals, self.isTalkative) = (end, seed, seals, isTalkative)
    (self.watchesNetwork, self.tryLimit, self.lease) = (watchesNetwork, tryLimit, lease)
    self.maxTries = maxTries
  }
}
