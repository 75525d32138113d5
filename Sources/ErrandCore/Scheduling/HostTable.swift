/// The hosts that have something running or waiting, and their lines. A host that has neither is forgotten.
struct HostTable {
  /// Those whose host does not matter, because there was no limit for one when they came. Nobody counts what they run.
  static var unnamed: Int { 0 }
  private static var keptCapacity: Int { 256 }

  struct Host {
    var name: String?
    var running = 0
    var runningUnseen = 0
    var waiting = 0
  }

  private var hosts = [Host()]
  /// Of each host, one for each priority.
  private var lines = [WaitingLine](repeating: WaitingLine(), count: Priority.levels)
  private var places: [String: Int] = [:]
  private var free: [Int] = []

  var isEmpty: Bool { places.isEmpty && hosts[Self.unnamed].waiting == 0 }
  var all: Range<Int> { hosts.indices }

  subscript(host: Int) -> Host {
    _read { yield hosts[host] }
    _modify { yield &hosts[host] }
  }

  subscript(host: Int, level: Int) -> WaitingLine {
    _read { yield lines[host * Priority.levels + level] }
    _modify { yield &lines[host * Priority.levels + level] }
  }

  /// Whether the host's own limit leaves room.
  func hasRoom(_ host: Int, isSeen: Bool, _ bounds: SlotBounds) -> Bool {
    host == Self.unnamed
      || hosts[host].running < bounds.perHost && (isSeen || hosts[host].runningUnseen < bounds.perHostUnseen)
  }

  func place(of name: String) -> Int? { places[name] }

  mutating func makePlace(of name: String) -> Int {
    if let place = places[name] { return place }
    let place = free.popLast() ?? hosts.count
    if place == hosts.count {
      hosts.append(Host())
      lines.append(contentsOf: repeatElement(WaitingLine(), count: Priority.levels))
    }
    hosts[place].name = name
    places[name] = place
    return place
  }

  /// To be said when something of the host has ended.
  mutating func forgetIfQuiet(_ host: Int) {
    guard let name = hosts[host].name, hosts[host].running == 0, hosts[host].waiting == 0 else { return }
    places[name] = nil
    if places.isEmpty, hosts.count > Self.keptCapacity {
      hosts = [hosts[Self.unnamed]]
      lines = Array(lines.prefix(Priority.levels))
      places = [:]
      free = []
    } else {
      hosts[host] = Host()
      free.append(host)
    }
  }
}
