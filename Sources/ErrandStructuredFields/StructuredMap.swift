/// Values by key, in their order. Dictionaries and parameters of structured fields are such maps (RFC 9651,
/// sections 3.1.2 and 3.2). Two maps are equal if they have the same entries in the same order.
///
/// Look up a value by its key, or an entry by its index. Setting a key again keeps its place.
public struct StructuredMap<Value: Hashable & Sendable>: Sendable {
  public typealias Element = (key: String, value: Value)

  /// Up to this number, comparing keys one by one is faster than hashing them.
  private static var maximumUnindexed: Int { 8 }

  private struct Entry: Hashable, Sendable {
    let key: String
    var value: Value
  }

  private var entries: [Entry] = []
  /// The index of each key; nil while the map has few keys.
  private var indices: [String: Int]?

  /// Makes an empty map.
  package init() {}

  /// Makes an empty map with room for `capacity` entries.
  init(capacity: Int) {
    entries.reserveCapacity(capacity)
    guard capacity > Self.maximumUnindexed else { return }
    indices = Dictionary(minimumCapacity: capacity)
  }

  /// The keys, in the order of the entries.
  public var keys: [String] { entries.map(\.key) }

  /// The value of a key; nil if the map lacks the key. Setting nil removes the entry, which takes time in
  /// proportion to the number of entries.
  public subscript(key: String) -> Value? {
    get { index(of: key).map { entries[$0].value } }
    set {
      if let newValue { set(key, newValue) } else { remove(key) }
    }
  }

  /// Returns the index of the entry with this key; nil if the map lacks the key.
  package func index(of key: String) -> Int? {
    if let indices { return indices[key] }
    return entries.firstIndex { $0.key == key }
  }

  mutating func set(_ key: String, _ value: Value) {
    if let index = insert(key) {
      entries[index].value = value
    } else {
      entries.append(Entry(key: key, value: value))
      if indices == nil, entries.count > Self.maximumUnindexed { makeIndices() }
    }
  }

  /// Returns the index of the entry with this key. If the key is new, returns nil and records the key as the
  /// next entry.
  private mutating func insert(_ key: String) -> Int? {
    guard indices != nil else { return index(of: key) }
    // This hashes a new key only once, and most keys are new.
    guard let index = indices?.updateValue(entries.count, forKey: key) else { return nil }
    indices?[key] = index
    return index
  }

  private mutating func remove(_ key: String) {
    guard let index = index(of: key) else { return }
    entries.remove(at: index)
    makeIndices()
  }

  private mutating func makeIndices() {
    indices = nil
    guard entries.count > Self.maximumUnindexed else { return }
    indices = Dictionary(uniqueKeysWithValues: entries.indices.map { (entries[$0].key, $0) })
  }
}

extension StructuredMap: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension StructuredMap: RandomAccessCollection {
  /// The index of the first entry, 0.
  public var startIndex: Int { entries.startIndex }
  /// The number of entries.
  public var endIndex: Int { entries.endIndex }
  /// The entry at this index.
  public subscript(index: Int) -> Element { (entries[index].key, entries[index].value) }
}

extension StructuredMap: ExpressibleByDictionaryLiteral {
  /// Makes a map from entries. If a key appears twice, its last value is used, at the place of the first.
  public init(dictionaryLiteral elements: (String, Value)...) {
    for (key, value) in elements { set(key, value) }
  }
}
