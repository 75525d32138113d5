import Errand
import ErrandSigning
import Foundation

/// A customer who receives webhooks.
struct Customer: Codable, Sendable {
  var url: URL
  /// The secret that both sides know, in the form of Standard Webhooks.
  var secret: String
}

/// The customers, in a JSON file.
struct Customers: Sendable {
  struct Unknown: Error, CustomStringConvertible {
    let name: String
    var description: String { "the customer \(name) is unknown" }
  }

  let file: URL

  private func all() throws -> [String: Customer] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    return try JSONDecoder().decode([String: Customer].self, from: Data(contentsOf: file))
  }

  subscript(name: String) -> Customer {
    get throws {
      guard let customer = try all()[name] else { throw Unknown(name: name) }
      return customer
    }
  }

  /// Adds a customer, or changes the URL of one. The secret stays.
  @discardableResult func set(_ url: URL, for name: String) throws -> Customer {
    var customers = try all()
    let customer = Customer(url: url, secret: customers[name]?.secret ?? WebhookSigner.makeSecret())
    customers[name] = customer
    try JSONEncoder().encode(customers).write(to: file, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return customer
  }
}

/// Signs each attempt with the secret that its customer has at that time, so that no secret is stored with a request.
struct CustomerSignature: Interceptor {
  static let field = "X-Customer"
  let customers: Customers

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let customer = try customers[request.fields[Self.field] ?? ""]
    return try await next(request.signed(by: WebhookSigner(customer.secret)))
  }
}
