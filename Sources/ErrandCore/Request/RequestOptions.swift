/// How a request wants to be treated. `Request`'s modifiers set these; nil means: as the client is configured.
public struct RequestOptions: Sendable, Hashable {
  /// A try ends when nothing moved for this long: no connection made, no byte out, no byte in.
  public var timeout: Duration?
  /// The whole call, with all its tries and the waits between them, ends after this time.
  public var deadline: Duration?
  /// Which failures are tried again, and when.
  public var retry: RetryPolicy?
  /// What counts as an answer.
  public var validator = ResponseValidator()
  /// The most bytes of an answer that are kept in memory, after decompression.
  public var memoryLimit: Int?
  /// The body is sent with `Content-Encoding: gzip`.
  public var compressesBody = false
  /// The HTTP version to speak.
  public var httpVersion = HTTPVersionPreference.automatic
  /// Where redirects may lead.
  public var redirects: RedirectPolicy?
  /// How soon it is wanted.
  public var priority = Priority.default
  /// It goes on the wire whatever the client's `limits` say, and counts for none of them: for who has limits of its own.
  package var takesNoSlot = false
  /// What few requests use, in one place, so that the others do not carry it.
  private var stages: Stages?

  package init() {}

  /// True if anything but its priority sets it apart before it is sent.
  var hasStages: Bool { stages != nil }

  /// The calls that must have succeeded before it is sent.
  public var dependencies: [Call] {
    get { stages?.values.dependencies ?? [] }
    set { change { $0.dependencies = newValue } }
  }

  /// Where it is shown while it is under way, and how; nil for nowhere.
  public var activity: ActivityUse? {
    get { stages?.values.activity }
    set { change { $0.activity = newValue } }
  }

  /// What is done when the same is sent again.
  public var repeats: RepeatRule? {
    get { stages?.values.repeats }
    set { change { $0.repeats = newValue } }
  }

  /// Under which name its answer is kept, and what of that it may be answered with.
  public var keeping: KeepRule? {
    get { stages?.values.keeping }
    set { change { $0.keeping = newValue } }
  }

  private mutating func change(_ change: (inout Stages.Values) -> Void) {
    var values = stages?.values ?? Stages.Values()
    change(&values)
    stages = values == Stages.Values() ? nil : Stages(values)
  }

  private final class Stages: Sendable, Hashable {
    struct Values: Sendable, Hashable {
      var dependencies: [Call] = []
      var activity: ActivityUse?
      var repeats: RepeatRule?
      var keeping: KeepRule?
    }

    let values: Values

    init(_ values: Values) { self.values = values }

    static func == (left: Stages, right: Stages) -> Bool { left.values == right.values }
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
  }
}
