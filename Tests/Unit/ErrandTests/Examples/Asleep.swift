// swift-format-ignore-file
import Errand
import Foundation

struct Asleep {
  let outbox: Outbox
  let session: any BackgroundSession

  func simple() async throws {
    let delivery = try outbox.deliverInBackground(session)
    delivery.enterForeground()   // the outbox sends by itself
    await delivery.enterBackground()   // the session sends; the app may be suspended when this returns
  }

  func configured() throws -> BackgroundDelivery {
    var configuration = BackgroundConfiguration()
    configuration.constraints = { lane in
      lane == "photos" ? LaneConstraints(requiresUnmetered: true, requiresCharging: true) : .none
    }
    configuration.isCharging = { ProcessInfo.processInfo.environment["EXTERNAL_POWER"] != nil }   // your own test
    configuration.isExcludedFromBackup = true
    let delivery = try outbox.deliverInBackground(session, configuration: configuration)
    return delivery
  }
}

struct AppDelegate {
  let delivery: BackgroundDelivery

  @MainActor func sessionHasEvents(_ completionHandler: () -> Void) async {
    await delivery.handleEvents()
    completionHandler()
  }
}
