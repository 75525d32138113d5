import Errand
import Foundation

// The code under test. In a real package it is in a separate target.

/// A client of a weather service.
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

  /// Returns the weather at a place. If the service fails, returns the last known weather.
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
