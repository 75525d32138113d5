import ErrandOutbox

/// Selects requests of an outbox, as the page asks for them: by state and lane in the store, and by origin and text
/// among the rows that the store returns.
struct OutboxFilter: Sendable, Equatable, Decodable {
  var state: OutboxState?
  var lane: String?
  /// A part of the URL up to its path, in whatever case; nil for all.
  var origin: String?
  /// A part of the URL, the reason or the id, in whatever case; nil for all.
  var text: String?
  /// When a person was asked, in milliseconds since 1970: requests that came into the state later are not meant.
  var asked: Double?

  init(
    state: OutboxState? = nil, lane: String? = nil, origin: String? = nil, text: String? = nil,
    asked: Double? = nil
  ) {
    (self.state, self.lane, self.asked) = (state, lane, asked)
    (self.origin, self.text) = (origin?.lowercased(), text?.lowercased())
  }

  var selection: OutboxSelection {
    OutboxSelection(states: state.map { [$0] }, lane: lane.map { .named($0) })
  }

  /// True if the store alone selects the requests.
  var isPlain: Bool { origin == nil && text == nil }

  /// Returns true if the other filter selects the same requests, whenever it was asked for.
  func isSame(as other: OutboxFilter?) -> Bool {
    var (own, other) = (self, other)
    own.asked = nil
    other?.asked = nil
    return own == other
  }

  /// Returns whether a request of the selection has the origin and the text.
  func includes(_ entry: OutboxEntry) -> Bool {
    // An attempt changes a waiting request, but that was counted.
    if let asked, (entry.state.isOpen ? entry.created : entry.changed).shownTime > asked { return false }
    if let origin, !Self.origin(of: entry.url).lowercased().contains(origin) { return false }
    guard let text else { return true }
    return [entry.url, entry.reason ?? "", entry.id.rawValue].contains { $0.lowercased().contains(text) }
  }

  /// The URL up to its path.
  private static func origin(of url: String) -> Substring {
    guard let start = url.firstRange(of: "://") else { return url[...] }
    let end = url[start.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return url[..<end]
  }

  static func state(named name: String) -> OutboxState? { OutboxState.allCases.first { "\($0)" == name } }
}

extension OutboxFilter {
  private enum Key: String, CodingKey {
    case state, lane, origin, text, asked
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let name = try values.decodeIfPresent(String.self, forKey: .state)
    self.init(
      state: name.flatMap(Self.state), lane: try values.decodeIfPresent(String.self, forKey: .lane),
      origin: try values.decodeIfPresent(String.self, forKey: .origin),
      text: try values.decodeIfPresent(String.self, forKey: .text),
      asked: try values.decodeIfPresent(Double.self, forKey: .asked))
  }
}
