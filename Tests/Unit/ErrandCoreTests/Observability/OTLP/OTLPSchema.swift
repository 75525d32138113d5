import Foundation

@testable import ErrandObservability

/// The structure of OTLP's JSON, after opentelemetry-proto 1.x and its rules for JSON: identifiers are
/// lower-case hexadecimal digits, 64-bit integers are strings, enumerations are numbers.
enum OTLPSchema {
  static func problems(ofTraces body: Data) -> [String] {
    var check = Check()
    check.list(check.object(body), "resourceSpans") { check, resource in
      check.resource(resource)
      check.list(resource, "scopeSpans") { check, scope in
        check.scope(scope)
        check.list(scope, "spans") { check, span in
          check.hex(span["traceId"], 32)
          check.hex(span["spanId"], 16)
          if let parent = span["parentSpanId"] { check.hex(parent, 16) }
          check.text(span["name"])
          check.require((1...5).contains(span["kind"] as? Int ?? 0), "kind")
          let (start, end) = (check.number(span["startTimeUnixNano"]), check.number(span["endTimeUnixNano"]))
          check.require(start <= end, "a span ends before it begins")
          check.attributes(span)
          if let status = span["status"] as? [String: Any] {
            check.require((0...2).contains(status["code"] as? Int ?? -1), "code")
          }
          check.list(span, "links", isOptional: true) { check, link in
            check.hex(link["traceId"], 32)
            check.hex(link["spanId"], 16)
          }
        }
      }
    }
    return check.problems
  }

  static func problems(ofMetrics body: Data) -> [String] {
    var check = Check()
    check.list(check.object(body), "resourceMetrics") { check, resource in
      check.resource(resource)
      check.list(resource, "scopeMetrics") { check, scope in
        check.scope(scope)
        check.list(scope, "metrics") { check, metric in
          check.text(metric["name"])
          check.require(metric["unit"] as? String == "s", "unit")
          let histogram = metric["histogram"] as? [String: Any] ?? [:]
          check.require((1...2).contains(histogram["aggregationTemporality"] as? Int ?? 0), "temporality")
          check.list(histogram, "dataPoints") { check, point in
            let counts = (point["bucketCounts"] as? [String] ?? []).compactMap { UInt64($0) }
            let bounds = point["explicitBounds"] as? [Double] ?? []
            check.require(counts.count == bounds.count + 1 && bounds == bounds.sorted(), "buckets")
            check.require(counts.reduce(0, +) == check.number(point["count"]), "count")
            check.require(point["sum"] is Double, "sum")
            check.attributes(point)
            let (start, end) = (check.number(point["startTimeUnixNano"]), check.number(point["timeUnixNano"]))
            check.require(start <= end, "a point ends before it begins")
          }
        }
      }
    }
    return check.problems
  }

  private struct Check {
    var problems: [String] = []

    mutating func require(_ isRight: Bool, _ what: String) { if !isRight { problems.append(what) } }

    func object(_ body: Data) -> [String: Any] {
      (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
    }

    mutating func list(
      _ object: [String: Any], _ name: String, isOptional: Bool = false,
      _ each: (inout Check, [String: Any]) -> Void
    ) {
      let list = object[name] as? [[String: Any]]
      require(isOptional || list?.isEmpty == false, name)
      for element in list ?? [] { each(&self, element) }
    }

    mutating func resource(_ value: [String: Any]) {
      let resource = value["resource"] as? [String: Any] ?? [:]
      attributes(resource)
      let names = (resource["attributes"] as? [[String: Any]])?.compactMap { $0["key"] as? String } ?? []
      require(names.contains("service.name"), "service.name")
    }

    mutating func scope(_ value: [String: Any]) { text((value["scope"] as? [String: Any])?["name"]) }

    mutating func attributes(_ value: [String: Any]) {
      list(value, "attributes", isOptional: true) { check, attribute in
        check.text(attribute["key"])
        let value = attribute["value"] as? [String: Any] ?? [:]
        check.require(value.count == 1, "an attribute does not have exactly one value")
        if let number = value["intValue"] { check.require(Int64(number as? String ?? "") != nil, "intValue") }
      }
    }

    mutating func text(_ value: Any?) { require((value as? String)?.isEmpty == false, "a text is missing") }

    mutating func hex(_ value: Any?, _ count: Int) {
      let digits = value as? String ?? ""
      require(digits.count == count && digits.allSatisfy { "0123456789abcdef".contains($0) }, "\(digits)")
    }

    mutating func number(_ value: Any?) -> UInt64 {
      let number = (value as? String).flatMap { UInt64($0) }
      require(number != nil, "not a number: \(value ?? "")")
      return number ?? 0
    }
  }
}
