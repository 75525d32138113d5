/// A body that is opened anew for each attempt. Two sources are equal only if they are the same object.
final class BodySource: Sendable, Hashable {
  let length: Int64?
  let open: @Sendable () throws -> any BodyReader

  init(length: Int64?, open: @escaping @Sendable () throws -> any BodyReader) {
    self.length = length
    self.open = open
  }

  static func == (left: BodySource, right: BodySource) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
