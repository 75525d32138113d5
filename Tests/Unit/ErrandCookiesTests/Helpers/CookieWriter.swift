import Foundation
import Programs
import TestSupport

/// Starts a process that sets one cookie after another in a file.
/// - Parameter host: The host that sets the cookies.
func startCookieWriter(file: URL, host: String, count: Int, folder: TemporaryFolder) throws -> RecordedProgram
{
  try RecordedProgram(
    Program.built("CookieWriter"), [file.path, host, "\(count)"], output: folder.file("output of \(host)"))
}
