import JSON
import Providers
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct RESTSettingsTests {
  /// The example with one member replaced; a path's last part is set, null takes it out.
  private func settings(_ path: [String], _ value: JSONValue) throws -> JSONValue {
    func set(_ json: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
      guard let first = path.first else { return value }
      if path.count == 1, value.isNull { return json.setting(first, to: nil) }
      return json.setting(first, to: set(json[first] ?? [:], path.dropFirst()))
    }
    return set(try RESTRig.example(), path[...])
  }

  @Test func theExampleFitsTheSchema() async throws {
    let example = try RESTRig.example()
    #expect(REST.settings.validate(example).isEmpty)
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: example)
      #expect(rig.plugin.methods.count == 7 && rig.plugin.source != nil)
    }
  }

  private static let user = ["resources", "user", "operations"]

  @Test(
    arguments: [
      (["url"], "ftp://host/", "/url", "https://host/path"),
      (["url"], "http://h/?a=b", "/url", "no user, password, query"),
      (["url"], "http://user:pass@h/", "/url", "no user"), (["url"], "http:///user:pass@h/", "/url", "no user"),
      (["url"], "http://h/x#y", "/url", "fragment"), (["headers"], ["X A": "a"], "/headers/X A", "name of a header"),
      (["headers"], ["X-A": "a\r\nX-B: 1"], "/headers/X-A", "one line"),
      (["headers"], ["content-length": "5"], "/headers/content-length", "take it out"),
      (["auth", "header"], "X:Y", "/auth/header", "name of a header"),
      (
        ["auth"], ["type": "header", "header": "X", "scheme": "a\r\nb", "token": "abcd"], "/auth/scheme", "one line"
      ),
      (["timeouts"], ["total": "0s"], "/timeouts/total", "more than no time"),
      (["timeouts"], ["idle": "0s"], "/timeouts/idle", "more than no time"),
      (["auth"], ["type": "basic", "user": "ada"], "/auth", "password is missing"),
      (["auth"], ["type": "bearer", "token": "abcd", "user": "ada"], "/auth/user", "takes no such member"),
      (["auth"], ["type": "login", "path": "/{id}", "tokenAt": "/t"], "/auth/path", "takes no params"),
      (["errors", "code"], "error/code", "/errors/code", "no JSON pointer"),
      (user + ["get", "path"], "/{id}/{part}", "/resources/user/operations/get/path", "none of the params"),
      (user + ["get", "path"], "/{id}?x=1", "/resources/user/operations/get/path", "a query belongs into params"),
      (user + ["get", "path"], "{id}", "/resources/user/operations/get/path", "begins with a slash"),
      (user + ["get", "path"], "/../{id}", "/resources/user/operations/get/path", "dots"),
      (user + ["get", "path"], "/{id", "/resources/user/operations/get/path", "needs the name"),
      (user + ["get", "params", "id"], ["type": "whole"], "/resources/user/operations/get/params/id/type", "type"),
      (
        user + ["get", "params", "id"], ["in": "query"], "/resources/user/operations/get/params/id/in",
        "stands in the path"
      ),
      (
        user + ["list", "params", "q"], ["in": "header", "wire": "a b"], "/resources/user/operations/list/params/q",
        "name of a header"
      ),
      (user + ["list", "params", "userID"], [:], "/resources/user/operations/list/params/userID", "set wire"),
      (user + ["list", "params", "q"], ["in": "body"], "/resources/user/operations/list/params", "GET does not have"),
      (
        user + ["list", "paging"], ["by": "cursor", "param": "c"], "/resources/user/operations/list/paging",
        "next is missing"
      ),
      (user + ["create", "required"], ["nick"], "/resources/user/operations/create/required", "none of the params"),
      (["tasks", "list", "operation"], "approval.all", "/tasks/list/operation", "there is no approval.all"),
      (["tasks", "list"], ["operation": "approval.decide"], "/tasks/list", "changes something"),
      (["tasks", "approve"], ["operation": "approval.list"], "/tasks/approve", "changes nothing"),
      (["tasks", "approve", "comment"], "note", "/tasks/approve/comment", "has no param note"),
      (["tasks", "approve", "from", "version"], "version", "/tasks/approve/from/version", "JSON pointer"),
      (["tasks", "decisive"], ["amount"], "/tasks/decisive", "no JSON pointer"),
    ] as [([String], JSONValue, String, String)])
  func whatTheSchemaCannotSayIsSaidWithItsPlace(
    _ path: [String], _ value: JSONValue, _ pointer: String, _ says: String
  ) async throws {
    let settings = try settings(path, value)
    try await onLoop { () async throws in
      let error = #expect(throws: SettingsError.self) { _ = try RESTRig(settings: settings) }
      #expect(error?.pointer.description == pointer, "\(error as Any)")
      #expect(says.isEmpty || error?.message.contains(says) == true, "\(error as Any)")
    }
  }
}
