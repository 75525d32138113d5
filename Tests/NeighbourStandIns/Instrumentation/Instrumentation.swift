// Stands in for swift-distributed-tracing 1.2: the declarations that the integrations use.
public import ServiceContextModule

public protocol Extractor: Sendable {
  associatedtype Carrier: Sendable

  func extract(key: String, from carrier: Carrier) -> String?
}

public protocol Injector: Sendable {
  associatedtype Carrier: Sendable

  func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Instrument: Sendable {
  func extract<Carrier, Extract>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
  where Extract: Extractor, Extract.Carrier == Carrier

  func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
  where Inject: Injector, Inject.Carrier == Carrier
}

public enum InstrumentationSystem {}
