import CDiskTrace
import ErrandTesting
import Foundation

/// A disk beneath a folder while a trace is played: it knows which data of each file and folder is durable
/// and which was only written. It is strict: a file's name is durable only after its folder was flushed.
struct TracedDisk {
  final class Node {
    let isFolder: Bool
    /// The content that certainly survives a power loss.
    var safe = Data()
    var safeNames: [String: Node] = [:]
    /// The names as the program sees them.
    var names: [String: Node] = [:]
    var changes: [Change] = []
    /// The number of changes before `changes` that are durable.
    var safeCount = 0

    init(isFolder: Bool) { self.isFolder = isFolder }

    func makeSafe(upTo count: Int) {
      guard count > safeCount else { return }
      for change in changes.prefix(count - safeCount) { change.apply(to: &safe, &safeNames) }
      changes.removeFirst(count - safeCount)
      safeCount = count
    }
  }

  enum Change {
    case write(Data, at: Int)
    case truncate(Int)
    /// Several names that change atomically.
    case names([(String, Node?)])

    func apply(to content: inout Data, _ names: inout [String: Node]) {
      switch self {
      case .write(let bytes, let offset):
        if content.count < offset + bytes.count {
          content.append(Data(count: offset + bytes.count - content.count))
        }
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      case .truncate(let length):
        if length < content.count {
          content.removeLast(content.count - length)
        } else {
          content.append(Data(count: length - content.count))
        }
      case .names(let new): for (name, node) in new { names[name] = node }
      }
    }
  }

  /// The size of an atomic write.
  private static let sector = 512

  /// True for a disk that only claims that data is durable.
  var lies = false
  private let root = Node(isFolder: true)
  private var open: [Int32: Node] = [:]
  private var syncs: [Int64: (node: Node, count: Int)] = [:]

  /// - Parameter folder: The initial content, which is durable.
  init(_ folder: URL) throws { try adopt(folder, root) }

  private func adopt(_ folder: URL, _ node: Node) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appending(path: name)
      let type = try FileManager.default.attributesOfItem(atPath: path.path)[.type] as? FileAttributeType
      guard type == .typeDirectory || type == .typeRegular else { continue }
      let child = Node(isFolder: type == .typeDirectory)
      if child.isFolder { try adopt(path, child) } else { child.safe = try Data(contentsOf: path) }
      node.safeNames[name] = child
      node.names[name] = child
    }
  }

  // MARK: Before a power loss

  mutating func play(_ record: DiskTrace.Record) {
    switch record.kind {
    case errand_trace_open:
      let node = find(record.text) ?? make(record.text, isFolder: record.isFolder)
      open[record.descriptor] = node
      if record.offset == 1 { node.changes.append(.truncate(0)) }
    case errand_trace_close: open[record.descriptor] = nil
    case errand_trace_write:
      open[record.descriptor]?.changes.append(.write(record.bytes, at: Int(record.offset)))
    case errand_trace_truncate: open[record.descriptor]?.changes.append(.truncate(Int(record.offset)))
    case errand_trace_sync_begin:
      guard let node = open[record.descriptor] else { return }
      syncs[record.offset] = (node, node.safeCount + node.changes.count)
    case errand_trace_sync_end:
      guard let sync = syncs.removeValue(forKey: record.offset), !lies else { return }
      sync.node.makeSafe(upTo: sync.count)
    case errand_trace_folder: _ = make(record.text, isFolder: true)
    case errand_trace_remove: setName(record.text, nil)
    case errand_trace_rename, errand_trace_link: playTwo(record)
    default: break
    }
  }

  private func playTwo(_ record: DiskTrace.Record) {
    let paths = record.bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard paths.count == 2, let node = find(paths[0]) else { return }
    if record.kind == errand_trace_link || parent(paths[0]) !== parent(paths[1]) {
      setName(paths[1], node)
      if record.kind == errand_trace_rename { setName(paths[0], nil) }
    } else {
      change(parent(paths[1]), [(last(paths[0]), nil), (last(paths[1]), node)])
    }
  }

  private func make(_ path: String, isFolder: Bool) -> Node {
    let node = Node(isFolder: isFolder)
    setName(path, node)
    return node
  }

  private func setName(_ path: String, _ node: Node?) { change(parent(path), [(last(path), node)]) }

  private func change(_ folder: Node?, _ names: [(String, Node?)]) {
    guard let folder else { preconditionFailure("a name in a missing folder") }
    folder.changes.append(.names(names))
    for (name, node) in names { folder.names[name] = node }
  }

  private func find(_ path: String) -> Node? {
    var node: Node? = root
    for part in path.split(separator: "/") { node = node?.names[String(part)] }
    return node
  }

  private func parent(_ path: String) -> Node? {
    find(path.split(separator: "/").dropLast().joined(separator: "/"))
  }

  private func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  // MARK: After a power loss

  /// Writes the content that a power loss now would leave into an empty folder, determined by a seed. The
  /// disk itself does not change.
  func restore(into folder: URL, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    try restore(root, into: folder, &random)
  }

  private func restore(_ node: Node, into path: URL, _ random: inout SeededRandom) throws {
    var (content, names) = (node.safe, node.safeNames)
    let kept = Self.share(&random)
    for change in node.changes {
      for piece in change.pieces(Self.sector) where UInt64.random(in: 0..<256, using: &random) < kept {
        piece.apply(to: &content, &names)
      }
    }
    guard node.isFolder else {
      try content.write(to: path)
      return try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    }
    try FileManager.default.createDirectory(
      at: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (name, child) in names.sorted(by: { $0.key < $1.key }) {
      try restore(child, into: path.appending(path: name), &random)
    }
  }

  /// Returns the part of the data that is not durable that remains, in 256ths: often nothing or all of it.
  private static func share(_ random: inout SeededRandom) -> UInt64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: 0
    case 1: 256
    default: UInt64.random(in: 0...256, using: &random)
    }
  }
}

extension TracedDisk.Change {
  /// Splits a write into sectors, which reach the disk one by one.
  fileprivate func pieces(_ sector: Int) -> [Self] {
    guard case .write(let bytes, let offset) = self else { return [self] }
    var pieces: [Self] = []
    var done = 0
    while done < bytes.count {
      let length = min(sector - (offset + done) % sector, bytes.count - done)
      pieces.append(.write(bytes.dropFirst(done).prefix(length), at: offset + done))
      done += length
    }
    return pieces
  }
}
