// Stands in for swift-openapi-runtime 1.8: the declarations that the integrations use, with a small implementation.
public import Foundation
public import HTTPTypes
import Synchronization

public protocol ClientTransport: Sendable {
  func send(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPResponse, HTTPBody?)
}

public final class HTTPBody: Sendable, AsyncSequence {
  public typealias ByteChunk = ArraySlice<UInt8>
  public typealias Element = ByteChunk

  public enum IterationBehavior: Sendable {
    case single, multiple
  }

  public enum Length: Sendable, Equatable {
    case unknown
    case known(Int64)
  }

  public let iterationBehavior: IterationBehavior
  public let length: Length
  private let makeNext: @Sendable () -> () async throws -> ByteChunk?
  private let isIterated = Mutex(false)

  public init<Bytes: AsyncSequence>(_ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior)
  where Bytes: Sendable, Bytes.Element: Sequence & Sendable, Bytes.Element.Element == UInt8 {
    self.iterationBehavior = iterationBehavior
    self.length = length
    makeNext = {
      var iterator = sequence.makeAsyncIterator()
      return { try await iterator.next().map { ArraySlice($0) } }
    }
  }

  public init(_ bytes: some Collection<UInt8> & Sendable) {
    let chunk = ArraySlice(bytes)
    iterationBehavior = .multiple
    length = .known(Int64(chunk.count))
    makeNext = {
      var rest: ByteChunk? = chunk
      return {
        defer { rest = nil }
        return rest
      }
    }
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let produce: () async throws -> ByteChunk?

    public mutating func next() async throws -> ByteChunk? { try await produce() }
  }

  public typealias AsyncIterator = Iterator

  /// A body that may be iterated once traps at a second iteration.
  public func makeAsyncIterator() -> Iterator {
    let isSecond = isIterated.withLock { isIterated in
      defer { isIterated = true }
      return isIterated
    }
    precondition(!isSecond || iterationBehavior == .multiple, "the body can be iterated once")
    return Iterator(produce: makeNext())
  }
}
