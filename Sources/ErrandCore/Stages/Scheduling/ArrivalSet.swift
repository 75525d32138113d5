/// Arrival numbers in order, each with a waiter's place. They are in a tree whose nodes have 64 branches.
/// Inserting, removing and finding the first therefore take one step per base-64 digit of the span of
/// arrivals: three for 262,144.
struct ArrivalSet {
  private static var reservedCapacity: Int { 64 }

  /// For each node, the bit set of its branches.
  private var branches: [UInt64] = []
  /// 64 for each node: the indices of nodes, or places if the node is a leaf.
  private var targets: [Int32] = []
  private var free: [Int] = []
  private var root: Int?
  /// The lowest bit that the root's branches distinguish, and all the bits above them.
  private var shift = 0
  private var prefix: UInt64 = 0

  var isEmpty: Bool { root == nil }

  /// The place of the earliest arrival.
  var first: Int? {
    guard var node = root else { return nil }
    var shift = shift
    while true {
      node = target(node, branches[node].trailingZeroBitCount)
      if shift == 0 { return node }
      shift -= 6
    }
  }

  mutating func insert(_ arrival: UInt64, place: Int) {
    var node = top(over: arrival)
    var shift = shift
    while shift > 0 {
      let branch = branch(of: arrival, shift)
      if branches[node] & (1 << branch) == 0 { attach(newNode(), to: node, branch) }
      node = target(node, branch)
      shift -= 6
    }
    attach(place, to: node, branch(of: arrival, 0))
  }

  mutating func remove(_ arrival: UInt64) {
    guard let top = root, arrival >> (shift + 6) == prefix, remove(arrival, from: top, shift) else { return }
    root = nil
    if branches.count > Self.reservedCapacity { self = ArrivalSet() }
  }

  /// Removes an arrival. Returns true if the node is empty afterwards, and therefore free.
  private mutating func remove(_ arrival: UInt64, from node: Int, _ shift: Int) -> Bool {
    let branch = branch(of: arrival, shift)
    guard branches[node] & (1 << branch) != 0 else { return false }
    guard shift == 0 || remove(arrival, from: target(node, branch), shift - 6) else { return false }
    branches[node] &= ~(1 << branch)
    guard branches[node] == 0 else { return false }
    free.append(node)
    return true
  }

  /// Returns the root, after growing the tree until it spans the arrival as well.
  private mutating func top(over arrival: UInt64) -> Int {
    guard var node = root else {
      let node = newNode()
      (root, shift, prefix) = (node, 0, arrival >> 6)
      return node
    }
    while arrival >> (shift + 6) != prefix {
      let above = newNode()
      attach(node, to: above, branch(of: prefix, 0))
      node = above
      shift += 6
      prefix >>= 6
    }
    root = node
    return node
  }

  private func branch(of arrival: UInt64, _ shift: Int) -> Int {
    Int(truncatingIfNeeded: arrival >> shift) & 63
  }

  private func target(_ node: Int, _ branch: Int) -> Int { Int(targets[node * 64 + branch]) }

  private mutating func attach(_ target: Int, to node: Int, _ branch: Int) {
    branches[node] |= 1 << branch
    targets[node * 64 + branch] = Int32(target)
  }

  private mutating func newNode() -> Int {
    if let node = free.popLast() { return node }
    branches.append(0)
    targets.append(contentsOf: repeatElement(0, count: 64))
    return branches.count - 1
  }
}
