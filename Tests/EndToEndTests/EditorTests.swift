import Foundation
import Testing

/// The JSON-RPC clients that editors bring along, where those editors are installed.
@Suite struct EditorTests {
  private static let ringid = Program.folder.appendingPathComponent("ringid").path

  @Test(.enabled(if: Program.isInstalled("nvim"))) func neovimsOwnClientIsServed() throws {
    let folder = try AgentFolder()
    let script = folder.path("client.lua")
    try """
    local answers = {}
    local client = vim.lsp.rpc.start("\(Self.ringid)",
      {"--stdio", "--config", "\(folder.config)", "--state", "\(folder.state)"},
      {notification = function(method, params) answers.event = method end})
    client.request("agent.echo", {text = "稟議", empty = {}}, function(err, result) answers.echo = result end)
    client.request("events.subscribe", {}, function(err, result) answers.subscription = result end)
    vim.wait(20000, function() return answers.echo and answers.subscription end, 5)
    client.request("events.publish", {type = "order-placed"}, function(err, result) answers.published = result end)
    client.request("agent.nothing", {}, function(err, result) answers.error = err end)
    vim.wait(20000, function() return answers.event and answers.error and answers.published end, 5)
    io.stdout:write(answers.echo.text, " ", answers.event, " ", answers.error.code, "\\n")
    vim.cmd("qall!")
    """.write(toFile: script, atomically: true, encoding: .utf8)
    let result = try Program.run(
      "nvim", ["--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile \(script)"],
      environment: ["HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path])
    #expect(result.output.contains("稟議 order-placed -32601"), "\(result.output)\(result.errors)")
  }

  @Test(.enabled(if: Program.isInstalled("emacs"))) func emacsOwnClientIsServed() throws {
    let folder = try AgentFolder()
    let script = folder.path("client.el")
    try """
    (require 'jsonrpc)
    (let* ((event nil)
           (connection
            (make-instance 'jsonrpc-process-connection
              :name "ringi"
              :notification-dispatcher (lambda (_c method _params) (setq event method))
              :process (make-process :name "ringid" :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                         :stderr (get-buffer-create "*ringid*")
                         :command '("\(Self.ringid)" "--stdio" "--config" "\(folder.config)" "--state" "\(folder.state)"))))
           (echo (jsonrpc-request connection 'agent.echo '(:text "稟議")))
           (code nil))
      (jsonrpc-request connection 'events.subscribe '(:types ["*"]))
      (jsonrpc-request connection 'events.publish '(:type "order-placed"))
      (condition-case failure (jsonrpc-request connection 'agent.nothing '(:a 1))
        (jsonrpc-error (setq code (cdr (assq 'jsonrpc-error-code (cdr failure))))))
      (while (not event) (accept-process-output nil 0.01))
      (princ (format "%s %s %s\\n" (plist-get echo :text) event code)))
    """.write(toFile: script, atomically: true, encoding: .utf8)
    let result = try Program.run(
      "emacs", ["--batch", "-Q", "-l", script], environment: ["HOME": folder.url.path, "LC_ALL": "C.UTF-8"])
    #expect(result.output.contains("稟議 order-placed -32601"), "\(result.output)\(result.errors)")
  }
}
