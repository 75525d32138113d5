// swift-format-ignore-file
import Errand
import ErrandURLProtocol
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct FromURLSession {
  let url: URL
  let searchURL: URL
  let orderURL: URL
  let order: Data

  func session(_ client: Client) -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [ErrandURLProtocol.using(client)]
    let session = URLSession(configuration: configuration)
    return session
  }

  func requests(_ session: URLSession) async throws {
    let feed = URLRequest(url: url).errand { $0.shared(within: .seconds(3)) }
    let (data, response) = try await session.data(for: feed)

    let search = URLRequest(url: searchURL).errand { $0.latest("search").attempts(2).deadline(.seconds(20)) }
    let picture = URLRequest(url: url).errand { $0.cached(as: "picture").priority(.utility) }
    _ = (data, response, search, picture)
  }

  func failures(_ session: URLSession) async throws {
    do {
      _ = try await session.data(from: url)
    } catch let error as URLError where error.code == .cancelled {
      // The task, the client or a newer request: error.userInfo has the reason.
    } catch let error as URLError {
      let reason = error.userInfo[NSUnderlyingErrorKey] as? RequestError
      print(error.code, reason ?? error)
    }
  }

  func outbox(_ client: Client, _ outbox: Outbox) async throws {
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [ErrandURLProtocol.using(client, outbox: outbox)]
    let session = URLSession(configuration: configuration)

    var request = URLRequest(url: orderURL)
    request.httpMethod = "POST"
    request.httpBody = order
    let (_, response) = try await session.data(for: request.errandOutbox(lane: "orders"))
    let id = (response as? HTTPURLResponse)?.errandOutboxID
    _ = id
  }

  func timing(_ response: HTTPURLResponse) {
    print(response.errandTiming ?? "")
  }
}
