/// Elements with deadlines: they are added, removed, and returned when they are due. Pure: the time is a
/// parameter.
///
/// Most elements are removed long before they are due. A removed element stays in the heap until it comes to
/// the top, or until removed elements outnumber the others.
struct DeadlineState<Element: Sendable>: Sendable {
  typealias Token = Slab<Element>.Token

  private struct Entry: Sendable {
    let token: Token
    let due: Duration
  }

  private var elements = Slab<Element>()
  private var heap = Heap<Entry> { $0.due < $1.due }
  private var timer: Duration?

  var count: Int { elements.count }
  /// The number of entries in the heap, including those of removed elements.
  var entries: Int { heap.count }

  /// Adds an element.
  /// - Returns: Its token, and the time for which the timer must be set, or nil if it is set early enough
  ///   already.
  mutating func add(_ element: Element, due: Duration) -> (Token, timer: Duration?) {
    if heap.count > 2 * elements.count + 64 { heap.removeAll { elements[$0.token] == nil } }
    let token = elements.insert(element)
    heap.insert(Entry(token: token, due: due))
    if let timer, timer <= due { return (token, nil) }
    timer = due
    return (token, due)
  }

  mutating func remove(_ token: Token) { elements.remove(token) }

  /// Removes and returns the elements that are due. Called when the timer has fired.
  /// - Returns: The elements, and the time for which the timer must be set; nil if no elements are left.
  mutating func expire(at now: Duration) -> ([Element], timer: Duration?) {
    var due: [Element] = []
    while let first = heap.first, first.due <= now || elements[first.token] == nil {
      _ = heap.removeFirst()
      if let element = elements.remove(first.token) { due.append(element) }
    }
    timer = heap.first?.due
    return (due, timer)
  }
}
