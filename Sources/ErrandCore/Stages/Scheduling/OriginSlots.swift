/// The origins with running or waiting requests, and their waiting lines. An origin without requests is
/// forgotten, except the last one: consecutive requests nearly always go to the same origin.
struct OriginSlots {
  /// The entry for requests whose origin does not matter, because the limit per origin was not set when they
  /// arrived. Their running requests are not counted.
  static var unnamed: Int { 0 }
  private static var reservedCapacity: Int { 256 }

  struct Load {
    var name: String?
    var running = 0
    var runningUnseen = 0
    var waiting = 0
  }

  private var origins = [Load()]
  /// For each origin, one line per priority.
  private var lines = [WaitingLine](repeating: WaitingLine(), count: Priority.levels)
  private var places: [String: Int] = [:]
  private var free: [Int] = []
  /// The origin that is remembered although it has no requests.
  private var quiet: Int?

  var isEmpty: Bool { places.count == (quiet == nil ? 0 : 1) && origins[Self.unnamed].waiting == 0 }
  var all: Range<Int> { origins.indices }

  subscript(origin: Int) -> Load {
    _read { yield origins[origin] }
    _modify { yield &origins[origin] }
  }

  subscript(origin: Int, level: Int) -> WaitingLine {
    _read { yield lines[origin * Priority.levels + level] }
    _modify { yield &lines[origin * Priority.levels + level] }
  }

  /// Returns true if the origin has a free slot for the request.
  func hasRoom(_ origin: Int, isSeen: Bool, _ bounds: SlotBounds) -> Bool {
    origin == Self.unnamed
      || origins[origin].running < bounds.perOrigin
        && (isSeen || origins[origin].runningUnseen < bounds.perOriginUnseen)
  }

  /// Returns true if the origin with this name has a free slot for a request.
  func hasRoom(named name: String, isSeen: Bool, _ bounds: SlotBounds) -> Bool {
    // An origin without a place has no requests.
    places[name].map { hasRoom($0, isSeen: isSeen, bounds) } ?? true
  }

  mutating func makePlace(of name: String) -> Int {
    if let place = quiet, origins[place].name == name {
      quiet = nil
      return place
    }
    if let place = places[name] { return place }
    let place = free.popLast() ?? origins.count
    if place == origins.count {
      origins.append(Load())
      lines.append(contentsOf: repeatElement(WaitingLine(), count: Priority.levels))
    }
    origins[place].name = name
    places[name] = place
    return place
  }

  /// Forgets an origin without requests. Called when a request of the origin has ended or left.
  mutating func forgetIfQuiet(_ origin: Int) {
    guard origins[origin].name != nil, origins[origin].running == 0, origins[origin].waiting == 0 else {
      return
    }
    let before = quiet
    quiet = origin
    if let before { forget(before) }
    if places.count == 1, origins.count > Self.reservedCapacity {
      origins = [origins[Self.unnamed]]
      lines = Array(lines.prefix(Priority.levels))
      (places, free, quiet) = ([:], [], nil)
    }
  }

  private mutating func forget(_ origin: Int) {
    guard let name = origins[origin].name else { return }
    places[name] = nil
    origins[origin] = Load()
    free.append(origin)
  }
}
