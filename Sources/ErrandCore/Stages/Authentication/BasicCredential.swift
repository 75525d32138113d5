/// A user and a password as Basic authentication sends them (RFC 7617, section 2).
package enum BasicCredential {
  /// Returns the reason why the user name and the password cannot be sent; nil if they can.
  package static func problem(
    user: some Sequence<UInt8>, password: some Sequence<UInt8>
  ) -> String? {
    if user.contains(UInt8(ascii: ":")) {
      return
        "the user name for Basic authentication has a colon, so the server would take the text after it for a part "
        + "of the password: use a user name without a colon"
    }
    if user.contains(where: isControl) || password.contains(where: isControl) {
      return
        "the user name or the password for Basic authentication has a control character, such as a line break: "
        + "remove it"
    }
    return nil
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == 127 }
}
