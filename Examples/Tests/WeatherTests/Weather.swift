import Errand
import Foundation

// The code under test. It would live in a target of its own.

/// The weather, as a service of ours tells it.
struct WeatherService {
  struct Report: Codable, Equatable {
    var place: String
    var degrees: Int
  }

  enum Failure: Error, Equatable {
    case unknownPlace(String)
  }

  let client: Client
  let base: URL

  /// Returns the weather at a place: the newest, or the last one that is known if the service is down.
  /// - Throws: `Failure.unknownPlace`, or `RequestError`.
  func report(for place: String) async throws -> Report {
    let request = Request.get(base.appending(path: "weather"), query: ["place": place])
      .expecting(contentType: "application/json")
      .cached(as: "weather/\(place)", .staleIfError)
    do {
      return try await client.send(request).decode(Report.self)
    } catch let error as RequestError where error.status == 404 {
      throw Failure.unknownPlace(place)
    }
  }
}
