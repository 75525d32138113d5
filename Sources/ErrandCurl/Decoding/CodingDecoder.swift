/// Decodes one content coding, step by step.
protocol CodingDecoder: AnyObject {
  /// Decodes from `input`, which may be empty, into `output`, which is not. If `output` is filled exactly,
  /// more may follow without further input.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int)

  /// True if the coded data may end here.
  var isWhole: Bool { get }
}
