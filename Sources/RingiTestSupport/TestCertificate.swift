/// Certificates for 127.0.0.1 that nobody trusts by themselves, and their keys; made for tests alone.
package enum TestCertificate {
  /// The day of its end.
  package static let end = "2126-11-06"
  package static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBnzCCAUagAwIBAgIULX6wxANZeKr6KmjiUYbG43EHmgIwCgYIKoZIzj0EAwIw
    HDEaMBgGA1UEAwwRUmluZ2kgdGVzdCBzZXJ2ZXIwIBcNMjYxMTMwMDkwMjQzWhgP
    MjEyNjExMDYwOTAyNDNaMBwxGjAYBgNVBAMMEVJpbmdpIHRlc3Qgc2VydmVyMFkw
    EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEo437rbesjnKfryeMEn5xJK1CEQD//qYt
    /pOyVOJtPc40abGTgasG4YAe6SS8iWW/Gi357mkpjCuXhtvNTBhd8aNkMGIwHQYD
    VR0OBBYEFDrlPksi492xXAA9Jf6lhECVJ18ZMB8GA1UdIwQYMBaAFDrlPksi492x
    XAA9Jf6lhECVJ18ZMA8GA1UdEwEB/wQFMAMBAf8wDwYDVR0RBAgwBocEfwAAATAK
    BggqhkjOPQQDAgNHADBEAiAu8l8xbxzlhmuxaawhTvlqQvNS/IMGrA8Sc9EwkY6/
    ZAIgGiy6bCc+YYeONCVnj1PuURMSED9mzSLCMLPWuzIqIV4=
    -----END CERTIFICATE-----
    """

  package static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIwPJX8SiK8rAhOl2
    mIE/GyyoPmX5jWNOtd6UB1cxqB6hRANCAASjjfutt6yOcp+vJ4wSfnEkrUIRAP/+
    pi3+k7JU4m09zjRpsZOBqwbhgB7pJLyJZb8aLfnuaSmMK5eG281MGF3x
    -----END PRIVATE KEY-----
    """

  /// One that has nothing to do with the first.
  package static let otherCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAUCgAwIBAgIUZmR6JLvhaw8M4RtskV/8FEf940YwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOUmluZ2kgc3RyYW5nZXIwIBcNMjYxMTMwMTE1MDQyWhgPMjEy
    NjExMDYxMTUwNDJaMBkxFzAVBgNVBAMMDlJpbmdpIHN0cmFuZ2VyMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEmb51JbCzYwUpQsYuyKkU1ufWZutp8sfXZNsPliEH
    nAWMf16SyvtBLe+OnozR8rkVdvu6P/kJgoBKbcIN5X4SSaNkMGIwHQYDVR0OBBYE
    FKpH/EofcOz4T2iSerkfn+zg5k5VMB8GA1UdIwQYMBaAFKpH/EofcOz4T2iSerkf
    n+zg5k5VMA8GA1UdEwEB/wQFMAMBAf8wDwYDVR0RBAgwBocEfwAAATAKBggqhkjO
    PQQDAgNIADBFAiAnlrjvTIMuzZNgf0F4VwEk4UXXX3TbcEK2rq2fr43HaAIhAOzw
    VlCHNHXqDEOxN5sipA3+93PGzO8MdUd5LvCTpzMd
    -----END CERTIFICATE-----
    """

  package static let otherKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXBjkwF2kkriA3bNS
    nDUJH7pK1U/qtEcmigmuWB4xajahRANCAASZvnUlsLNjBSlCxi7IqRTW59Zm62ny
    x9dk2w+WIQecBYx/XpLK+0Et746ejNHyuRV2+7o/+QmCgEptwg3lfhJJ
    -----END PRIVATE KEY-----
    """
}
