/// A linked list in an array, as long as the scheduler's queue. It measures the cost of accessing a neighbour
/// in memory.
struct PlainList {
  private struct Node {
    var previous: Int
    var next: Int
    /// Makes the element as large as the scheduler's entry of a waiting request.
    var payload: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  private var nodes: [Node]
  private var last: Int

  init(_ count: Int) {
    // The list is a ring around node 0.
    nodes = (0...count).map { Node(previous: $0 == 0 ? count : $0 - 1, next: $0 == count ? 0 : $0 + 1) }
    last = count
  }

  /// Moves one element to the end.
  mutating func leaveAndAdd(_ index: Int) {
    let node = index + 1
    guard node != last else { return }
    let (previous, next) = (nodes[node].previous, nodes[node].next)
    nodes[previous].next = next
    nodes[next].previous = previous
    nodes[node].previous = last
    nodes[node].next = 0
    nodes[last].next = node
    nodes[0].previous = node
    nodes[node].payload.0 &+= 1
    last = node
  }
}
