import ErrandCore
package import ErrandOutbox
package import Foundation

/// A numbered request whose properties follow from its number, so that a receiver can check it.
package struct FleetRequest: Sendable {
  package static let path = "/requests/"
  package static let senderField = "Request-Sender"
  /// The number of processes and tasks that enqueue.
  package static let writers = 4
  /// The number of servers that receive.
  package static let receivers = 10
  /// The number of lanes of each writer.
  private static let lanes = 40

  package let number: Int

  package init(_ number: Int) { self.number = number }

  package init?(path: String) {
    guard path.hasPrefix(Self.path), let number = Int(path.dropFirst(Self.path.count)) else { return nil }
    self.init(number)
  }

  /// The writer that enqueues it. All requests of a lane have the same writer, so their order is known.
  package var writer: Int { number % Self.writers }

  /// The number of the request among those of its writer.
  private var place: Int { number / Self.writers }

  /// Nil for every third request.
  package var lane: String? {
    place.isMultiple(of: 3) ? nil : "writer \(writer), lane \(place / 3 % Self.lanes)"
  }

  /// The previous request in its lane; nil for the first one, and without a lane.
  package var predecessor: FleetRequest? {
    guard lane != nil else { return nil }
    // Of three places the second and the third are in the same lane.
    let before = place % 3 == 2 ? place - 1 : place - 3 * Self.lanes + 1
    return before < 0 ? nil : FleetRequest(before * Self.writers + writer)
  }

  /// The receiver. All requests of a lane go to one.
  package var receiver: Int { (place / 3 % Self.lanes + writer) % Self.receivers }

  /// True for a body that does not fit into a row.
  package var isLarge: Bool { number % 97 == 96 }

  package var body: Data {
    let text = "request \(number), "
    let length = isLarge ? 80_000 : 200
    return Data(String(repeating: text, count: length / text.utf8.count + 1).utf8)
  }

  /// The item that a writer enqueues. Its id is unique, so that it may be enqueued again when the result is
  /// not known.
  /// - Parameter ports: The ports of the receivers.
  package func item(to ports: [Int]) -> OutboxItem {
    let request = Request.post(url(ports), .bytes(body, contentType: "text/plain"))
    return OutboxItem(request, lane: lane, id: OutboxID(rawValue: "fleet-\(number)"))
  }

  /// The statement that enqueues it from SQL. Its key is unique, for the same reason.
  package func statement(to ports: [Int]) -> String {
    let lane = lane.map { "'\($0)'" } ?? "NULL"
    let text = String(decoding: body, as: UTF8.self)
    return "SELECT errand.enqueue(method => 'POST', url => '\(url(ports))', "
      + "headers => '{\"Content-Type\": \"text/plain\"}', body => '\(text)', lane => \(lane), "
      + "key => 'fleet-\(number)');\n"
  }

  private func url(_ ports: [Int]) -> String {
    "http://127.0.0.1:\(ports[receiver])\(Self.path)\(number)"
  }
}
