/// Why a file is no answer.
enum AnswerFileFault: Error, Hashable {
  /// Cut short, or changed since it was written.
  case damaged
  /// Something else under an answer's name.
  case foreign
  /// Written by another version of Errand, in a form that this one does not know.
  case otherVersion(UInt32)
}
