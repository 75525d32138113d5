#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An answer that is kept. It holds no secret in its fields or its URL; its body is as it came.
public struct KeptAnswer: Sendable, Hashable {
  public let status: Status
  /// Without `Set-Cookie` and everything else that is secret.
  public let fields: HTTPFields
  public let data: Data
  /// The URL that answered, with `***` in the place of its secrets.
  public let url: URL
  /// When it was kept, by the wall clock.
  public let date: Date

  /// - Parameter secrets: What is secret besides the usual. Default: nothing.
  public init(
    status: Status, fields: HTTPFields, data: Data, url: URL, date: Date, secrets: Secrets = Secrets()
  ) {
    var open = fields
    open.remove(where: secrets.hides)
    self.status = status
    self.fields = open
    self.data = data
    self.url = Self.withoutSecrets(url, secrets)
    self.date = date
  }

  /// What is to be kept of an answer; nil for what is none by itself (a part, a 304), is not in memory, or says that it may
  /// not be kept (`Cache-Control: no-store`).
  public init?(_ response: Response, date: Date, secrets: Secrets = Secrets()) {
    guard case .data(let data) = response.body, response.status != 206, response.status != 304,
      !response.fields.forbidStoring
    else { return nil }
    self.init(
      status: response.status, fields: response.fields, data: data, url: response.url, date: date,
      secrets: secrets)
  }

  /// The answer, as it would come from the network, with no timing.
  public var response: Response {
    var response = Response(status: status, fields: fields, data: data, url: url)
    response.keptAt = date
    return response
  }

  /// How long ago it was kept; below zero if the clock has been set back since.
  public func age(at now: Date) -> Duration {
    let limit = Duration.longest.seconds
    return .seconds(max(-limit, min(now.timeIntervalSince(date), limit)))
  }

  /// What it takes in memory under this key, in bytes: body, fields, URL and key.
  func size(under key: AnswerKey) -> Int {
    fields.reduce(data.count + url.absoluteString.utf8.count) { size, field in
      size + field.name.utf8.count + field.value.utf8.count
    } + key.name.utf8.count + key.partition.description.utf8.count
  }

  private static func withoutSecrets(_ url: URL, _ secrets: Secrets) -> URL {
    let text = url.absoluteString
    let shown = secrets.redact(text)
    if shown == text { return url.absoluteURL }
    if let open = URL(string: shown) { return open }
    // Better too little than a secret.
    var bare = URLComponents()
    bare.scheme = url.scheme
    bare.host = url.host()
    bare.port = url.port
    return bare.url ?? URL(filePath: "/")
  }
}
