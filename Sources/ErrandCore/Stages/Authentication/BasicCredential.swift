/// A user and a password as Basic authentication sends them (RFC 7617, section 2).
package enum BasicCredential {
  /// Returns the reason why they cannot be sent; nil if there is none.
  package static func problem(
    user: some Sequence<UInt8>, password: some Sequence<UInt8>
  ) -> String? {
    if user.contains(UInt8(ascii: ":")) {
      return
        "the user's name of Basic authentication has a colon, which would end it: the server would take the rest "
        + "for the password"
    }
    if user.contains(where: isControl) || password.contains(where: isControl) {
      return
        "the user's name or the password of Basic authentication has a control character, such as a line break: "
        + "remove it"
    }
    return nil
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == 127 }
}
