extension SandboxArguments {
  package static let usage =
    "usage: ringi-sandbox curam|sap-workflow|servicenow|todoist|users-api|wunderlist [--env neo|cf|sbpa] [--port N]"
    + " [--set SWITCH=VALUE]... [--help]"

  package static var help: String {
    let (todoist, usersAPI) = (TodoistConfiguration(), UsersAPIConfiguration())
    let (curam, wunderlist) = (CuramConfiguration(), WunderlistConfiguration())
    let users = curam.users.map { "  \($0.name) with password \"\($0.password)\"" }.joined(separator: "\n")
    return """
      \(usage)

      Imitates SAP's workflow service, Cúram's REST application, a ServiceNow instance, Todoist's API v1, Wunderlist's
      API v1, or a small REST API of users and approvals, on 127.0.0.1, strictly and over real HTTP, for tests, demos and
      trying things out. Prints its URL on one line when it listens; everything it knows is gone when it ends.

        --env neo|cf|sbpa      which generation of SAP's service (neo)
                                 neo    Basic authentication, session cookies, XSRF tokens
                                 cf     OAuth 2, Cloud Foundry
                                 sbpa   OAuth 2, Build Process Automation
        --port N               the port; 0 takes any free one (0)
        --set SWITCH=VALUE     how it behaves where the real service varies; may be repeated
        --tls-certificate FILE serve https with this certificate, in PEM,
        --tls-key FILE         and this key
        --until-stdin-closes   end when stdin closes, beside SIGTERM and SIGINT
        --help                 print this

      sap-workflow: clients append /v1/... to URL/workflow-service/rest (neo, cf) or URL/public/workflow/rest (sbpa).
      Logins:
        neo         P1000009 with password administer-9 (administrator),
                    P1000001 with password approve-1, P1000002 with password approve-2 (recipients)
        cf, sbpa    POST URL/oauth/token, client
                    \(SAPClient.standardID)
                    with secret \(SAPClient.standardSecret)
      The workflow ringi_purchase is deployed; starting it makes a task for the two recipients.

      servicenow: the Table API is at URL/api/now/table, the login at URL/oauth_token.do.
        users       admin with password administer-9, hanako with approve-1, taro with approve-2
        client      \(ServiceNowClient.standardID)
                    with secret \(ServiceNowClient.standardSecret), which acts as the user integration
        callback    \(ServiceNowClient.standardRedirect), for ringi login; before that, say who sits at the browser:
                    curl -X POST URL/_control/log-in -d '{"user": "hanako"}'

      curam: clients append /v1/... to URL/Rest, and log in at URL/Rest/j_security_check as one of
      \(users)
      The citizen needs the form field user_type=EXTERNAL. There are persons/101 and some more.

      todoist and wunderlist: the API is at URL/api/v1, the login at URL/oauth.
        todoist     token \(todoist.token)
                    client \(todoist.clientID), callback \(todoist.redirect)
        wunderlist  token \(wunderlist.token)
                    client \(wunderlist.clientID), callback \(wunderlist.redirects[0])
        both        client secret \(todoist.clientSecret)

      users-api: the API is at URL/v2.
        token       \(usersAPI.token), in X-Authentication-Token
        POST URL/v2/session, login \(usersAPI.login) with password \(usersAPI.password), gives another

      Play the world around it through URL/_control/, such as
        curl -X POST URL/_control/tasks -d '{"count": 3, "subject": "Approve order {n}"}'        (sap-workflow)
        curl -X POST URL/_control/approvals -d '{"count": 3, "title": "Replace the disks {n}"}'  (servicenow)
        curl -X POST URL/_control/faults -d '{"route": "PATCH /v1/task-instances/*", "kind": "reset", "applied": true}'
        curl -X POST URL/_control/sessions/expire
        curl URL/_control/requests
      docs/sandbox.md lists all calls.

      Switches, with the values they begin with (sap-workflow: on neo):
        curam
      \(list(curam.switches))
        sap-workflow
      \(list(SAPSwitches()))
        servicenow
      \(list(ServiceNowSwitches()))
        todoist
      \(list(todoist.switches))
        wunderlist
      \(list(wunderlist.switches))
        users-api
      \(list(usersAPI.switches))

      Exit codes: 0 ended as asked, 64 wrong usage, 66 a file cannot be read, 69 cannot listen, 74 cannot write.
      """
  }

  private static func list(_ switches: some SandboxSwitches) -> String {
    switches.texts.map { "    \($0.name)=\($0.value)" }.joined(separator: "\n")
  }
}
