import Foundation

@testable import ErrandObservability

/// The structure of a HAR 1.2 file according to its specification: the required members and their types. See
/// http://www.softwareishard.com/blog/har-12-spec/.
enum HARSchema {
  indirect enum Kind: Sendable {
    case string
    case text(matches: @Sendable (String) -> Bool)
    case number(least: Double)
    case object([String: Kind], optional: [String: Kind])
    case array(Kind)
  }

  /// Returns the violations in a file.
  static func problems(of data: Data) -> [String] {
    guard let value = try? JSONSerialization.jsonObject(with: data) else { return ["it is not JSON"] }
    return problems(of: value, as: file, at: "")
  }

  /// Returns the entries of a file.
  static func entries(of data: Data) -> [[String: Any]] {
    let file = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    return (file?["log"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
  }

  private static let comment = ["comment": Kind.string]
  private static let named = Kind.object(["name": .string, "version": .string], optional: comment)
  private static let pairs = Kind.array(.object(["name": .string, "value": .string], optional: comment))
  private static let cookies = Kind.array(.object(["name": .string, "value": .string], optional: comment))
  private static let date = Kind.text { text in
    text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/) != nil
  }
  private static let postData = Kind.object(
    ["mimeType": .string, "text": .string, "params": pairs], optional: comment)
  private static let request = Kind.object(
    [
      "method": .text { !$0.isEmpty }, "url": .text { URL(string: $0)?.scheme != nil },
      "httpVersion": .string, "cookies": cookies, "headers": pairs, "queryString": pairs,
      "headersSize": .number(least: -1), "bodySize": .number(least: -1),
    ], optional: comment.merging(["postData": postData]) { $1 })
  private static let content = Kind.object(
    ["size": .number(least: 0), "mimeType": .string],
    optional: comment.merging([
      "compression": .number(least: -1e15), "text": .string, "encoding": .text { $0 == "base64" },
    ]) { $1 })
  private static let response = Kind.object(
    [
      "status": .number(least: 0), "statusText": .string, "httpVersion": .string, "cookies": cookies,
      "headers": pairs, "content": content, "redirectURL": .string, "headersSize": .number(least: -1),
      "bodySize": .number(least: -1),
    ], optional: comment)
  private static let timings = Kind.object(
    ["send": .number(least: 0), "wait": .number(least: 0), "receive": .number(least: 0)],
    optional: comment.merging([
      "blocked": .number(least: -1), "dns": .number(least: -1), "connect": .number(least: -1),
      "ssl": .number(least: -1),
    ]) { $1 })
  private static let entry = Kind.object(
    [
      "startedDateTime": date, "time": .number(least: 0), "request": request, "response": response,
      "cache": .object([:], optional: [:]), "timings": timings,
    ],
    optional: comment.merging([
      "serverIPAddress": .text { !$0.isEmpty && !$0.contains("]:") }, "connection": .string,
      "pageref": .string,
    ]) { $1 })
  private static let page = Kind.object(
    [
      "startedDateTime": date, "id": .string, "title": .string,
      "pageTimings": .object(
        [:],
        optional: comment.merging(["onContentLoad": .number(least: -1), "onLoad": .number(least: -1)]) { $1 }),
    ], optional: comment)
  private static let file = Kind.object(
    [
      "log": .object(
        ["version": .text { $0 == "1.2" }, "creator": named, "entries": .array(entry)],
        optional: comment.merging(["browser": named, "pages": .array(page)]) { $1 })
    ], optional: [:])

  private static func problems(of value: Any, as kind: Kind, at place: String) -> [String] {
    switch kind {
    case .string: return value is String ? [] : ["\(place) is not a string"]
    case .text(let matches):
      return (value as? String).map(matches) == true ? [] : ["\(place) has an invalid value: \(value)"]
    case .number(let least):
      guard let number = value as? Double, number.isFinite else { return ["\(place) is not a number"] }
      return number >= least ? [] : ["\(place) is \(number)"]
    case .array(let kind):
      guard let values = value as? [Any] else { return ["\(place) is not an array"] }
      return values.enumerated().flatMap { problems(of: $1, as: kind, at: "\(place)[\($0)]") }
    case .object(let required, let optional):
      guard let object = value as? [String: Any] else { return ["\(place) is not an object"] }
      let missing = required.keys.filter { object[$0] == nil }.map { "\(place).\($0) is missing" }
      return missing
        + object.flatMap { name, value in
          if let kind = required[name] ?? optional[name] {
            return problems(of: value, as: kind, at: "\(place).\(name)")
          }
          // A member outside the specification begins with an underscore.
          return name.hasPrefix("_") ? [] : ["\(place).\(name) is unknown"]
        }
    }
  }
}
