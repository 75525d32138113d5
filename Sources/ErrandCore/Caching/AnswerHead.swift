#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an answer's file says besides the body.
struct AnswerHead: Codable, Sendable, Hashable {
  let name: String
  let partition: String
  let status: Int
  let url: String
  /// Seconds since Foundation's reference date, which come back as they were.
  let date: Double
  /// Names and values in turn.
  let fields: [String]

  init(_ answer: KeptAnswer, under key: AnswerKey) {
    name = key.name
    partition = key.partition.description
    status = answer.status.rawValue
    url = answer.url.absoluteString
    date = answer.date.timeIntervalSinceReferenceDate
    fields = answer.fields.flatMap { [$0.name, $0.value] }
  }

  func key() throws(AnswerFileFault) -> AnswerKey {
    guard let partition = AnswerPartition(partition) else { throw .damaged }
    return AnswerKey(name, partition: partition)
  }

  func answer(with body: Data) throws(AnswerFileFault) -> KeptAnswer {
    guard let url = URL(string: url), fields.count.isMultiple(of: 2) else { throw .damaged }
    var lines = HTTPFields()
    for index in stride(from: 0, to: fields.count, by: 2) { lines.append(fields[index], fields[index + 1]) }
    return KeptAnswer(
      status: Status(status), fields: lines, data: body, url: url,
      date: Date(timeIntervalSinceReferenceDate: date))
  }
}
