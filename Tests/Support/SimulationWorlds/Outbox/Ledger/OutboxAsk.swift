import ErrandCore
import ErrandOutbox
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request that a simulated user enqueues, as the world describes it: the invariants check against this,
/// not against the store.
struct OutboxAsk: Sendable {
  /// How the server treats the request.
  enum Nature: String, CaseIterable, Sendable {
    case welcome
    /// The server fails twice for it.
    case troublesome
    /// The server refuses it every time.
    case poisoned
    case refusedOnce

    init(path: String) { self = Self.allCases.first { path.hasPrefix("/\($0)/") } ?? .welcome }
  }

  let id: Int
  let nature: Nature
  var host = OutboxHost(.ordinary, 0)
  var lane: String?
  var priority = Priority.default
  var lifetime: Duration?
  /// True if the body is given as a file.
  var isFile = false
  /// How its upload resumes; nil for one request.
  var resuming: UploadResumption?
  /// The first of the requests that are stored together, all or none.
  var burst: Int

  var row: OutboxID { OutboxID(rawValue: "ask-\(id)") }
  var text: String { "body of \(id)" }

  /// - Parameter file: The file of the body, or nil.
  func item(_ file: URL?) -> OutboxItem {
    let body: RequestBody = file.map { .file($0) } ?? .text(text)
    let request = Request.post("http://\(host.name)/\(nature)/\(id)", body).field(Ask.idField, "\(id)")
    // A third of the requests are for one of two customers behind the host.
    let key = id.isMultiple(of: 3) ? "customer \(id % 2)" : nil
    return OutboxItem(
      request, lane: lane, key: key, priority: priority, expires: lifetime, id: row, resuming: resuming)
  }
}

extension OutboxAsk: CustomStringConvertible {
  var description: String {
    var text = "#\(id) \(nature) to \(host.name)"
    if let lane { text += ", lane \(lane)" }
    if let lifetime { text += ", for \(lifetime)" }
    if isFile { text += ", from a file" }
    if resuming != nil { text += ", which resumes" }
    if burst != id { text += ", with #\(burst)" }
    return text
  }
}
