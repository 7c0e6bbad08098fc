internal import HTTPServer

/// What the pages are made of.
enum ServiceNowPages {
  /// The files that anybody may have.
  static func file(_ path: String) -> ServerResponse? {
    switch path {
    case "/styles/approval.css": text("text/css", approvalStyle)
    case "/scripts/approval.js": text("application/javascript", approvalScript)
    case "/sp/portal.css": text("text/css", "h1 { font-size: 24px }\n")
    case "/sp/portal.js": text("application/javascript", portalScript)
    case "/images/stamp.png": ServerResponse(status: 200, headers: ["Content-Type": "image/png"], body: stamp)
    default: nil
    }
  }

  /// The form of the local login; portals show it in the place of any page.
  static let login = text(
    "text/html;charset=UTF-8",
    """
    <html><head><title>Log in</title></head><body><form action="login.do" method="post">
    <input name="user_name"><input name="user_password" type="password"><input type="hidden" name="sysparm_ck" value="">
    <button name="sys_action" value="sysverb_login">Log in</button></form></body></html>
    """)

  static func approval(
    _ id: String, _ title: String, _ visitor: ServiceNowState.Visitor, instance: String
  ) -> ServerResponse {
    text(
      "text/html;charset=UTF-8",
      """
      <!DOCTYPE html>
      <HTML><HEAD><META charset="UTF-8"><title>Approval</title><link rel="stylesheet" href="styles/approval.css">
      <script>window.g_ck = '\(visitor.userToken)'; window.approval = '\(id)';</script></HEAD>
      <body><header id="banner">Approval</header><main><h1>\(escaped(title))</h1>
      <p>For <span id="user">\(escaped(visitor.user.fullName))</span>: <span id="state">loading</span></p>
      <p><a id="portal" href="\(instance)/sp">Portal</a> <img id="stamp" src="/images/stamp.png" alt=""></p>
      <form method="post" action="/sysapproval_approver.do"><input type="hidden" name="sys_id" value="\(id)">
      <input type="hidden" name="sysparm_ck" value="\(visitor.userToken)">
      <button id="approve" name="sysverb" value="approve">Approve</button></form></main>
      <script src="/scripts/approval.js"></script></body></HTML>
      """)
  }

  static func portal(_ visitor: ServiceNowState.Visitor, instance: String) -> ServerResponse {
    text(
      "text/html;charset=UTF-8",
      """
      <!doctype html>
      <html><head><base href="/sp/"><title>Portal</title><link href="portal.css" rel="stylesheet">
      <script>window.g_ck = '\(visitor.userToken)';
      var settings = {"instance": "\(instance.replacing("/", with: "\\/"))\\/sp"};</script></head>
      <body><header>Portal</header><main><h1>Hello, \(escaped(visitor.user.fullName))</h1>
      <p id="count">loading</p><img src="../images/stamp.png" alt=""></main><script src="portal.js"></script></body></html>
      """)
  }

  private static func text(_ type: String, _ text: String) -> ServerResponse {
    ServerResponse(status: 200, headers: ["Content-Type": type], text: text)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  private static let approvalStyle = """
    body { margin: 0; font-family: sans-serif; background-color: #ffffff; color: #000000 }
    header { height: 48px; background-color: #eeeeee }
    button { width: 160px; height: 48px; border: none }

    """

  private static let approvalScript = """
    fetch('/api/now/table/sysapproval_approver/' + window.approval,
      {headers: {'Accept': 'application/json', 'X-UserToken': window.g_ck}})
      .then(function (answer) { return answer.json(); })
      .then(function (json) { document.getElementById('state').textContent = json.result.state; });

    """

  private static let portalScript = """
    fetch('/api/now/table/sysapproval_approver?sysparm_query=state=requested',
      {headers: {'Accept': 'application/json', 'X-UserToken': window.g_ck}})
      .then(function (answer) { return answer.json(); })
      .then(function (json) { document.getElementById('count').textContent = json.result.length + ' waiting'; });

    """

  /// A red dot: a PNG of one pixel.
  private static let stamp: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x38, 0x20, 0x20, 0x00, 0x00, 0x02, 0x74, 0x00, 0xE1, 0x32, 0x04, 0xFD, 0xA0,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
  ]
}
