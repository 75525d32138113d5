import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The resumable uploads on a server that speaks tus 1.0 and Resumable Uploads for HTTP, without interim responses. A
/// creation in the second protocol that repeats an idempotency key gets the upload of the first one. While the server
/// is in trouble, it stores only a part of some contents, refuses some requests with 423, and forgets some uploads. Pure.
struct ResumableUploads: Sendable {
  struct Upload: Sendable {
    let ask: Int
    let key: String
    let length: Int
    let isTus: Bool
    var content = ""
    /// The time at which the server forgot it.
    var forgotten: Duration?

    var isComplete: Bool { content.utf8.count == length }
  }

  private static let prefix = "/uploads/"

  private(set) var all: [Upload] = []
  private var random: SeededRandom

  init(_ random: SeededRandom) { self.random = random }

  static func isCreation(_ attempt: SimulatedAttempt) -> Bool {
    attempt.method == .post
      && (attempt.fields.contains("Tus-Resumable") || attempt.fields.contains("Upload-Complete"))
  }

  /// Returns the index of the upload that the request is for; nil for other requests.
  static func place(_ attempt: SimulatedAttempt) -> Int? {
    attempt.path.hasPrefix(prefix) ? Int(attempt.path.dropFirst(prefix.count)) : nil
  }

  /// Creates an upload.
  mutating func create(_ attempt: SimulatedAttempt, isInTrouble: Bool) -> (
    SimulatedResponse, complete: Upload?
  ) {
    let (ask, key) = (attempt.ask ?? -1, attempt.fields["Idempotency-Key"] ?? "")
    // The server speaks one protocol for each request, so that a repeated creation meets the same one.
    let hasTus = attempt.fields.contains("Tus-Resumable")
    let isTus = hasTus && (!attempt.fields.contains("Upload-Complete") || ask.isMultiple(of: 2))
    let length = attempt.fields["Upload-Length"].flatMap { Int($0) } ?? attempt.body.count
    if !isTus, let place = all.lastIndex(where: { $0.key == key && $0.forgotten == nil }) {
      return (response(to: place, status: all[place].isComplete ? 200 : 201), nil)
    }
    all.append(Upload(ask: ask, key: key, length: length, isTus: isTus))
    let place = all.count - 1
    if !isTus { store(attempt, place, isInTrouble) }
    return (
      response(to: place, status: all[place].isComplete && !isTus ? 200 : 201),
      all[place].isComplete ? all[place] : nil
    )
  }

  /// Responds to a request for an upload.
  /// - Returns: The upload, too, if this request has completed it.
  mutating func respond(
    to attempt: SimulatedAttempt, _ place: Int, isInTrouble: Bool, at time: Duration
  ) -> (SimulatedResponse, complete: Upload?) {
    guard all.indices.contains(place) else { return (SimulatedResponse(status: 404), nil) }
    if isInTrouble, all[place].forgotten == nil, !all[place].isComplete, random.once(in: 20) {
      all[place].forgotten = time
    }
    if all[place].forgotten != nil { return (SimulatedResponse(status: 404), nil) }
    if isInTrouble, random.once(in: 10) { return (SimulatedResponse(status: 423), nil) }
    if attempt.method == .head { return (response(to: place, status: 200), nil) }
    guard attempt.fields["Upload-Offset"] == "\(all[place].content.utf8.count)", !all[place].isComplete else {
      return (response(to: place, status: 409), nil)
    }
    store(attempt, place, isInTrouble)
    let isComplete = all[place].isComplete
    return (
      response(to: place, status: isComplete && !all[place].isTus ? 200 : 204), isComplete ? all[place] : nil
    )
  }

  private mutating func store(_ attempt: SimulatedAttempt, _ place: Int, _ isInTrouble: Bool) {
    let isPart = isInTrouble && random.once(in: 4)
    all[place].content += isPart ? String(attempt.text.prefix(attempt.text.count / 2)) : attempt.text
  }

  private func response(to place: Int, status: Int) -> SimulatedResponse {
    let upload = all[place]
    var response = SimulatedResponse(status: status)
    response.fields["Upload-Offset"] = "\(upload.content.utf8.count)"
    response.fields["Upload-Length"] = "\(upload.length)"
    if status == 201 { response.fields["Location"] = Self.prefix + "\(place)" }
    if upload.isTus {
      response.fields["Tus-Resumable"] = "1.0.0"
      // The offset would say that the server has read the content of the creation.
      if status == 201 { response.fields.remove("Upload-Offset") }
    } else {
      response.fields["Upload-Draft-Interop-Version"] = "8"
      response.fields["Upload-Complete"] = upload.isComplete ? "?1" : "?0"
      if status == 200, upload.isComplete { response.body = Data("done: \(upload.content.prefix(20))".utf8) }
    }
    return response
  }
}
