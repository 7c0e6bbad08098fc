internal import CCurl
internal import Timing

extension CurlEasy {
  /// Has the transfer make a connection of its own, and keep what the server's certificates say.
  func lookAnew() throws(HTTPError) {
    try set(CURLOPT_FRESH_CONNECT, 1)
    try set(CURLOPT_CERTINFO, 1)
  }

  /// When the first of the server's certificates expires; nil where nothing is known of them.
  func certificateEnd() -> Timestamp? {
    var certificates: UnsafeMutablePointer<curl_certinfo>?
    guard ringi_curl_get_certificates(handle, &certificates) == CURLE_OK, let chain = certificates?.pointee,
      let lists = chain.certinfo
    else { return nil }
    return (0..<Int(chain.num_of_certs)).compactMap { Self.end(lists[$0]) }.min()
  }

  private static func end(_ fields: UnsafeMutablePointer<curl_slist>?) -> Timestamp? {
    let name = "Expire date:"
    for field in sequence(first: fields, next: { $0?.pointee.next }).prefix(while: { $0 != nil }) {
      guard let text = field?.pointee.data.map({ String(cString: $0) }), text.hasPrefix(name) else { continue }
      let seconds = curl_getdate(String(text.dropFirst(name.count)), nil)
      return seconds < 0 ? nil : Timestamp(seconds: Int64(seconds))
    }
    return nil
  }
}
