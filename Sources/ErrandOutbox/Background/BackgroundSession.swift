public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A session of the system that sends requests from files while no process of the app runs. `SystemBackgroundSession` is
/// URLSession's.
///
/// Its tasks outlive the process: at the next launch, the session of the same name lists them, and tells the ends that
/// were not told yet. It may tell an end twice, and lose a task without telling any.
public protocol BackgroundSession: AnyObject, Sendable {
  /// Names the session, the same at each launch.
  var identifier: String { get }

  /// Returns the tasks whose ends were not told.
  func tasks() async -> [SessionTask]

  /// Makes a task, which sends nothing before `resume`, with `upload.lease` as its label.
  /// - Returns: The task's number.
  func makeTask(_ upload: SessionUpload) async throws -> Int

  /// Lets a task begin. Does nothing if there is no such task.
  func resume(task: Int)

  /// Cancels a task, whose end is told then. Does nothing if there is no such task.
  func cancel(task: Int)

  /// Sets what is called, on any thread, with each event: those that came before, too.
  func onEvent(_ handler: @escaping @Sendable (SessionEvent) -> Void)
}

/// A request as a session sends it.
public struct SessionUpload: Sendable {
  /// The attempt: the label of the task.
  public var lease: Lease
  public var method: HTTPMethod
  public var url: URL
  /// All header fields, with those of credentials and signatures.
  public var fields: HTTPFields
  /// The file with the body; nil for a request without one. It must not be changed.
  public var file: URL?
  /// The length of the body in bytes.
  public var length: Int64
  /// How long to wait at least before the request is sent.
  public var wait: Duration
  public var constraints: LaneConstraints
  /// The most bytes of the response's body that are told.
  public var responseLimit: Int
}

/// An event of a session.
public enum SessionEvent: Sendable {
  /// A task has ended.
  case ended(Lease, SessionEnd)
  /// The session has told all ends for which the system has woken the app.
  case drained
}

/// The end of a task.
public enum SessionEnd: Sendable {
  case response(SessionResponse)
  /// There is no response. The message must show no secret.
  case failure(RequestError.Code, message: String, reachedServer: Bool)
  /// The task was cancelled.
  /// - hasBegun: True if the server may have received the request.
  case cancelled(hasBegun: Bool)
}

/// A response that a session has received, after the redirects that it followed by itself.
public struct SessionResponse: Sendable {
  public var status: HTTPStatus
  public var fields: HTTPFields
  /// The URL that responded.
  public var url: URL
  /// The method with which that was asked: a redirect may have changed it.
  public var method: HTTPMethod
  /// The body, or its beginning: one byte more than `SessionUpload.responseLimit` if there is more than that.
  public var body: Data

  public init(status: HTTPStatus, fields: HTTPFields, url: URL, method: HTTPMethod, body: Data) {
    self.status = status
    self.fields = fields
    self.url = url
    self.method = method
    self.body = body
  }
}
