internal import CCurl

/// One of libcurl's easy handles with what it points to: made in `init`, freed in `deinit`, each return code checked.
///
/// It must have left its multi handle when it is freed.
final class CurlEasy {
  let handle: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?

  init() throws(HTTPError) {
    guard let handle = curl_easy_init() else { throw HTTPError(.failed("memory ran out")) }
    self.handle = handle
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try check(ringi_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText))
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headers)
    errorText.deallocate()
  }

  /// What libcurl wrote about the failure, if anything; names of files and hosts may be in it, credentials are not.
  var failureText: String { String(cString: errorText) }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try check(ringi_curl_set_long(handle, option, value))
  }

  func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
    try check(ringi_curl_set_string(handle, option, value))
  }

  func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) throws(HTTPError) {
    try check(ringi_curl_set_pointer(handle, option, pointer))
  }

  func set(_ option: CURLoption, _ receiver: curl_write_callback) throws(HTTPError) {
    try check(ringi_curl_set_receiver(handle, option, receiver))
  }

  func setPrerequest(_ callback: curl_prereq_callback) throws(HTTPError) {
    try check(ringi_curl_set_prereq(handle, callback))
  }

  func setSocketSetup(_ callback: curl_sockopt_callback) throws(HTTPError) {
    try check(ringi_curl_set_sockopt(handle, callback))
  }

  /// Has libcurl keep a copy of the body; it makes the request a POST unless `CURLOPT_CUSTOMREQUEST` says otherwise.
  func set(body: [UInt8]) throws(HTTPError) {
    try check(ringi_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    // An empty array may have no address, and none would mean no body.
    try check((body + [0]).withUnsafeBytes { ringi_curl_set_bytes(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
  }

  func set(headerLines: [String]) throws(HTTPError) {
    for line in headerLines {
      guard let longer = curl_slist_append(headers, line) else { throw HTTPError(.failed("memory ran out")) }
      headers = longer
    }
    try check(ringi_curl_set_list(handle, CURLOPT_HTTPHEADER, headers))
  }

  func int(_ info: CURLINFO) -> Int {
    var value = 0
    // An info that libcurl does not know or have leaves the zero.
    return ringi_curl_get_long(handle, info, &value) == CURLE_OK ? value : 0
  }

  func size(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return ringi_curl_get_size(handle, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  /// All cookies of the handle's engine, as lines of a cookie file.
  func cookies() -> [String] {
    var list: UnsafeMutablePointer<curl_slist>?
    guard ringi_curl_get_list(handle, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
    defer { curl_slist_free_all(list) }
    return sequence(first: list, next: { $0?.pointee.next }).prefix { $0 != nil }
      .compactMap { $0?.pointee.data.map { String(cString: $0) } }
  }

  private func check(_ code: CURLcode) throws(HTTPError) {
    if code != CURLE_OK { throw HTTPError(.failed("libcurl: \(String(cString: curl_easy_strerror(code)))")) }
  }
}
