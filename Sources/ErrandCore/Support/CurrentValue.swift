/// A value that any number of readers read, or wait for until it differs from the last value that they have
/// seen. A slow reader misses intermediate values, never the newest. The value is derived from `State`.
package final class CurrentValue<State, Value: Equatable & Sendable>: Sendable {
  private struct Reader {
    let id: UInt64
    let seen: Value?
    let continuation: CheckedContinuation<Value?, Never>
  }

  private struct Contents {
    var state: State
    var isOver = false
    var readers: [Reader] = []
    var lastReader: UInt64 = 0
  }

  /// Whether a reader has to wait, or the value that it gets.
  private enum Outlook {
    case waiting
    case over(Value?)
  }

  private let contents: Locked<Contents>
  private let value: @Sendable (State) -> Value

  package init(_ state: sending State, value: @escaping @Sendable (State) -> Value) {
    contents = Locked(Contents(state: state))
    self.value = value
  }

  package var current: Value { contents.withLock { value($0.state) } }

  /// Changes the state, and resumes the readers that have not seen the new value.
  package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, news): (Result, (value: Value, readers: [Reader])?) = contents.withLock { contents in
      let result = body(&contents.state)
      guard !contents.readers.isEmpty else { return (result, nil) }
      let value = self.value(contents.state)
      let readers = contents.readers.filter { $0.seen != value }
      contents.readers.removeAll { $0.seen != value }
      return (result, (value, readers))
    }
    if let news { for reader in news.readers { reader.continuation.resume(returning: news.value) } }
    return result
  }

  /// Ends all reading after a last change. A reader gets the last value if it has not seen it.
  package func finish(_ body: (inout State) -> Void) {
    let (last, readers) = contents.withLock { contents in
      body(&contents.state)
      contents.isOver = true
      defer { contents.readers = [] }
      return (value(contents.state), contents.readers)
    }
    for reader in readers { reader.continuation.resume(returning: reader.seen == last ? nil : last) }
  }

  /// Returns the value once it differs from `seen`; nil at the end, or if the task is cancelled.
  package func next(after seen: Value?) async -> Value? {
    if Task.isCancelled { return nil }
    let (outlook, id) = contents.withLock { contents in
      contents.lastReader += 1
      return (look(at: contents, after: seen), contents.lastReader)
    }
    if case .over(let value) = outlook { return value }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(Reader(id: id, seen: seen, continuation: $0)) }
    } onCancel: {
      leave(id)
    }
  }

  private func look(at contents: Contents, after seen: Value?) -> Outlook {
    let value = value(contents.state)
    if value != seen { return .over(value) }
    return contents.isOver ? .over(nil) : .waiting
  }

  private func wait(_ reader: Reader) {
    let outlook: Outlook = contents.withLock { contents in
      // A cancellation before this point found no reader to resume.
      if Task.isCancelled { return .over(nil) }
      let outlook = look(at: contents, after: reader.seen)
      if case .waiting = outlook { contents.readers.append(reader) }
      return outlook
    }
    if case .over(let value) = outlook { reader.continuation.resume(returning: value) }
  }

  private func leave(_ id: UInt64) {
    let reader: Reader? = contents.withLock { contents in
      contents.readers.firstIndex { $0.id == id }.map { contents.readers.remove(at: $0) }
    }
    reader?.continuation.resume(returning: nil)
  }
}

extension CurrentValue where State == Value {
  package convenience init(_ value: Value) { self.init(value) { $0 } }

  package func set(_ value: Value) { change { $0 = value } }
}
