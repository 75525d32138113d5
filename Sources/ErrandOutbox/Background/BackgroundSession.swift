package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A session of the system that sends requests from files while no process of the app runs.
/// `SystemBackgroundSession` wraps the one of URLSession.
///
/// Its tasks outlive the process. At the next launch, the session of the same name lists them, and reports
/// the ends that it has not reported yet. It may report an end twice, and it may lose a task without a
/// report.
package protocol BackgroundSession: AnyObject, Sendable {
  /// The name of the session, the same at each launch.
  var identifier: String { get }

  /// Returns the tasks whose ends were not reported.
  func tasks() async -> [SessionTask]

  /// Creates a task with `upload.lease` as its label. The task sends nothing before `resume`.
  /// - Returns: The task's number.
  func makeTask(_ upload: SessionUpload) async throws -> Int

  /// Lets a task begin. Does nothing if no task has this number.
  func resume(task: Int)

  /// Cancels a task. The session then reports the end of the task. Does nothing if no task has this number.
  func cancel(task: Int)

  /// Sets the handler of events, which is called on any thread. The session also passes the events that it
  /// had before.
  func onEvent(_ handler: @escaping @Sendable (SessionEvent) -> Void)
}

/// A request as a session sends it.
package struct SessionUpload: Sendable {
  /// The attempt: the label of the task.
  package var lease: Lease
  /// The HTTP method.
  package var method: HTTPMethod
  /// The URL to send the request to.
  package var url: URL
  /// All header fields, including credentials and signatures.
  package var fields: HTTPFields
  /// The file with the body, which must not be changed; nil for a request without a body.
  package var file: URL?
  /// The length of the body in bytes.
  package var length: Int64
  /// The shortest wait before the request is sent; zero to send it at once.
  package var wait: Duration
  /// The conditions under which the session sends the request.
  package var constraints: LaneConstraints
  /// The most bytes of the response's body that the session reports.
  package var responseLimit: Int
}

/// An event of a session.
package enum SessionEvent: Sendable {
  /// The task of this attempt has ended.
  case ended(Lease, SessionEnd)
  /// The session has reported all ends for which the system woke the app.
  case drained
}

/// The end of a task.
package enum SessionEnd: Sendable {
  /// The server responded.
  case response(SessionResponse)
  /// The server did not respond. The message must not show a secret.
  case failure(RequestError.Code, message: String, reachedServer: Bool)
  /// The task was cancelled.
  /// - hasBegun: True if the server may have received the request.
  case cancelled(hasBegun: Bool)
}

/// A response that a session has received, after the redirects that the session followed.
package struct SessionResponse: Sendable {
  /// The status code and its phrase.
  package var status: HTTPStatus
  /// The header fields of the response.
  package var fields: HTTPFields
  /// The URL that responded.
  package var url: URL
  /// The method of the last request: a redirect may have changed it.
  package var method: HTTPMethod
  /// The body, or its beginning. A body that is longer than `SessionUpload.responseLimit` is cut to one byte
  /// more than that.
  package var body: Data

  /// Creates a response, for another implementation of `BackgroundSession`.
  package init(status: HTTPStatus, fields: HTTPFields, url: URL, method: HTTPMethod, body: Data) {
    self.status = status
    self.fields = fields
    self.url = url
    self.method = method
    self.body = body
  }
}
