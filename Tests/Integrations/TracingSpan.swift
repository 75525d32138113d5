import Tracing

// In a file that imports Errand too, `Tracing` is Errand's structure.
typealias TracingSpan = Tracing.Span
