/// Identifies a handler that was given to `Exchange.onCancel`.
public struct CancelHandlerID: Sendable, Hashable {
  let rawValue: Int
}
