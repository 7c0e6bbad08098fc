import HTTP
import Testing

@Suite struct LinkHeaderTests {
  @Test(arguments: [
    (["<https://h/x?page=2>; rel=\"next\""], "https://h/x?page=2"),
    (["</a>; rel=prev, </b>; rel=next"], "/b"),
    (["</a>;rel=\"prev\"", "</b> ; rel = \"first NEXT\""], "/b"),
    (["</a,b;c>; title=\"x, y; rel=\\\"next\\\"\"; rel=last, </d>; rel=next"], "/d"),
    (["</a>; rel=next; rel=prev"], "/a"), (["next; rel=\"next\", </b>; rel=next"], "/b"),
    (["</a> x; rel=next, </b>; rel=next"], "/b"), (["<https://h/a, </b>; rel=next"], "/b"),
    (["title=\"x, </a>; rel=next\", </b>; rel=next"], "/b"), (["</a>; rel=prev;; x, ,, </b>; rel=next"], "/b"),
  ])
  func theTargetWithTheRelationIsFound(_ values: [String], _ target: String) {
    #expect(LinkHeader.target(of: "next", in: values) == target)
  }

  @Test(arguments: [[], [""], ["https://h/; rel=next"], ["<https://h/; rel=next"], ["</a>; rel=nextish"], ["</a>"]])
  func whatIsNoSuchLinkIsNone(_ values: [String]) {
    #expect(LinkHeader.target(of: "next", in: values) == nil)
  }
}
