import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Forwards URLSession's callbacks about a task to the task's transfer.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let tls: SessionTLS
  // The key is the task, because task numbers repeat among sessions. The transfer retains the task, so its
  // address is not reused.
  private let transfers = Locked<[ObjectIdentifier: SessionTransfer]>([:])

  init(_ tls: SessionTLS) { self.tls = tls }

  func add(_ transfer: SessionTransfer, for task: URLSessionTask) {
    transfers.withLock { $0[ObjectIdentifier(task)] = transfer }
  }

  /// Fails all transfers that have not ended, after the session has ended.
  func finishAll() {
    let left = transfers.withLock { transfers in
      defer { transfers = [:] }
      return Array(transfers.values)
    }
    for transfer in left { transfer.shutDown() }
  }

  private func transfer(of task: URLSessionTask) -> SessionTransfer? {
    transfers.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = transfer(of: dataTask)?.receive(response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    transfer(of: task)?.didSend(totalBytesSent)
  }

  /// Refuses a redirect, so that the response is the 3xx. The client follows redirects.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(Darwin)
      switch tls.answer(to: challenge) {
      case .system: return completionHandler(.performDefaultHandling, nil)
      case .credential(let credential): return completionHandler(.useCredential, credential)
      case .mismatch(let message):
        transfer(of: task)?.pinsMismatched(message)
        return completionHandler(.cancelAuthenticationChallenge, nil)
      case nil: break
      }
    #endif
    // A 401 is a response. The request already has any credentials.
    #if canImport(FoundationNetworking)
      // The whole response has been received by now, and the task would fail with any disposition.
      transfers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  /// Provides the body once. Sending it again is the client's decision.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(transfer(of: task)?.takeBodyStream())
  }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      transfer(of: task)?.receive(metrics)
    }
  #endif

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    transfers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }?.complete(error)
  }
}
