internal import CCurl

extension CurlEasy {
  /// What a code of libcurl's means to a caller; timeouts and what callbacks refused are known before.
  func failure(_ code: CURLcode) -> HTTPError.Kind {
    switch code {
    case CURLE_URL_MALFORMAT: .badURL("libcurl cannot read it")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
    case CURLE_COULDNT_CONNECT: .connect(Int32(truncatingIfNeeded: int(CURLINFO_OS_ERRNO)))
    case CURLE_PROXY: .failed("the proxy refused: \(text(code)); check the proxy's settings")
    case CURLE_SSL_CACERT_BADFILE: .tls("tls.authorityFile or tls.authorityDirectory cannot be used: \(text(code))")
    case CURLE_SSL_CERTPROBLEM: .tls("tls.clientCertificate or tls.clientKey cannot be used: \(text(code))")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      .tls(text(code))
    // With TLS 1.3 a server refuses our certificate, or the lack of one, after the handshake.
    case CURLE_RECV_ERROR where failureText.contains("alert"): .tls(text(code))
    case CURLE_PARTIAL_FILE: .truncated
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM: .reset
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .malformed(text(code))
    default: .failed("libcurl: \(text(code))")
    }
  }

  private func text(_ code: CURLcode) -> String {
    let text = failureText
    return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }
}
