/// Says which requests are the same.
///
/// A request has a key of its own: its method, its URL (with the items of its query in any order), its body and the
/// fields that were named. Or one is chosen: any value that can be compared.
///
/// ```swift
/// let key: RequestKey = "search"
/// let mine = RequestKey(conversation.id)
/// ```
///
/// Whatever the key, two requests with different credentials (`Authorization`, `Cookie`, `Proxy-Authorization`, fields
/// marked as secret, user, password and secret query items of the URL) are never the same. No description shows what it holds.
public struct RequestKey: Sendable, Hashable {
  // Indirect, so that a key is two words: every caller who waits holds one.
  indirect enum Subject: Sendable, Hashable {
    case chosen(ChosenKey)
    case parts(RequestParts)
  }

  let subject: Subject
  /// The credentials: who may share anything.
  let partition: [KeyField]

  init(_ subject: Subject, partition: [KeyField]) {
    self.subject = subject
    self.partition = partition
  }

  /// A chosen key.
  public init(_ value: some Hashable & Sendable) {
    self = (value as? RequestKey) ?? RequestKey(.chosen(ChosenKey(value: value)), partition: [])
  }

  /// The same, for those with these credentials.
  func partitioned(by partition: [KeyField]) -> RequestKey { RequestKey(subject, partition: partition) }
}

extension RequestKey: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(.chosen(ChosenKey(value: value)), partition: [])
  }
}

extension RequestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL without its query, or the type of the chosen value.
  public var description: String {
    switch subject {
    case .chosen(let key): "\(key)"
    case .parts(let parts): "\(parts)"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
