/// A certificate for 127.0.0.1 that nobody trusts by itself, and its key; made for these tests alone.
enum TestCertificate {
  static let certificate = """
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

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIwPJX8SiK8rAhOl2
    mIE/GyyoPmX5jWNOtd6UB1cxqB6hRANCAASjjfutt6yOcp+vJ4wSfnEkrUIRAP/+
    pi3+k7JU4m09zjRpsZOBqwbhgB7pJLyJZb8aLfnuaSmMK5eG281MGF3x
    -----END PRIVATE KEY-----
    """
}
