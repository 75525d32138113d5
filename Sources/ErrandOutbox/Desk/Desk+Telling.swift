/// Who is told of what has become of requests.
extension Desk {
  func tell(_ rows: [OutboxRow]) {
    if !rows.isEmpty { feedback.publish(rows) { entry($0).event } }
  }

  /// Those who follow one request hear of what others have done.
  func catchUp() async { await look(at: feedback.followed) }

  /// Those who follow these hear what they are now.
  func look(at followed: [Feedback.Followed]) async {
    var followed = followed
    repeat {
      guard !followed.isEmpty, let rows = try? await store.rows(followed.map(\.id)) else {
        feedback.publish([], to: [])
        return
      }
      feedback.forget(zip(followed, rows).filter { $0.isStored && $1 == nil }.map(\.0))
      followed = feedback.publish(rows.compactMap { $0.map { entry($0).event } }, to: followed)
    } while !followed.isEmpty
  }

  func report(_ error: any Error) {
    if let error = error as? OutboxError, error.code == .closed { return }
    configuration.onStoreFailure?(error)
  }

  func noting(_ work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }
}
