/// A binary heap: the first element is the least, whatever the order in which they were inserted.
package struct Heap<Element> {
  private var elements: [Element] = []
  private let precedes: @Sendable (Element, Element) -> Bool

  package init(by precedes: @escaping @Sendable (Element, Element) -> Bool) { self.precedes = precedes }

  package var count: Int { elements.count }
  package var isEmpty: Bool { elements.isEmpty }
  package var first: Element? { elements.first }

  package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, precedes(elements[index], elements[(index - 1) / 2]) {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  package mutating func removeFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty {
      // An empty heap keeps no memory.
      elements = []
    } else {
      elements[0] = last
      sink()
    }
    return first
  }

  package mutating func removeAll(where isGone: (Element) -> Bool) {
    elements.removeAll(where: isGone)
    // A sorted array is a heap, too.
    elements.sort(by: precedes)
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in 2 * index + 1...2 * index + 2
      where child < elements.count && precedes(elements[child], elements[least]) {
        least = child
      }
      guard least != index else { return }
      elements.swapAt(index, least)
      index = least
    }
  }
}

extension Heap: Sendable where Element: Sendable {}
