import { describe, expect, test } from "vitest";
import { isTestFile, testNames } from "./test-names.ts";

describe("testNames", () => {
  test.each([
    ["a.test.ts", 'test("adds two", () => {\n', ["adds two"]],
    ["a.test.ts", 'test(\n  "adds on the next line",\n', ["adds on the next line"]],
    ["a.test.js", "it.concurrent('says \\'no\\'', async () => {", ["says \\'no\\'"]],
    ["a.test.ts", "test.each([\n  [1, 2],\n])(`adds $a`, (a) => {", ["adds $a"]],
    ["a.test.ts", 'test.each(cases)("adds %i", () => {', ["adds %i"]],
    ["a.test.ts", 'describe("money", () => {\n  it("adds", () => {', ["money", "adds"]],
    [
      "test_a.py",
      "def test_adds():\n    assert True\n\nasync def test_waits(self):",
      ["test_adds", "test_waits"],
    ],
    ["test_a.py", "class TestMoney(unittest.TestCase):\n    def helper(self):", ["TestMoney"]],
    ["a_test.go", 'func TestAdds(t *testing.T) {\n\tt.Run("with cents", func(', ["TestAdds", "with cents"]],
    ["a_test.go", "func (s *Suite) TestAdds() {", ["TestAdds"]],
    ["lib.rs", "    #[tokio::test]\n    async fn adds() {\n    }\n    fn helper() {", ["adds"]],
    ["ATest.java", "    @Test\n    void adds() {\n    }\n    private void helper() {", ["adds"]],
    ["ATest.kt", "  @Test fun `adds two`() {", ["adds two"]],
    ["ASpec.groovy", '  def "adds two"() {', ["adds two"]],
    ["ATests.cs", "    [Theory]\n    [InlineData(1)]\n    public async Task Adds(int a)", ["Adds"]],
    ["ATests.swift", "    func testAdds() throws {", ["testAdds"]],
    ["a_spec.rb", "  it 'adds two' do\n  def helper", ["adds two"]],
    ["a_test.rb", "  def test_adds\n", ["test_adds"]],
    [
      "ATest.php",
      "    #[Test]\n    public function adds(): void\n    public function testIt()",
      ["adds", "testIt"],
    ],
    ["a_test.exs", '  test "adds two" do', ["adds two"]],
    ["ATest.php", "    /**\n     * @test\n     */\n    public function adds()", ["adds"]],
    ["a_test.cc", "TEST_F(Money, Adds) {\nBOOST_AUTO_TEST_CASE(adds)", ["Money, Adds", "adds"]],
    ["a.cpp", 'TEST_CASE("adds two", "[money]") {', ["adds two"]],
    ["CMakeLists.txt", "add_test(NAME adds COMMAND adds)", ["adds"]],
    ["a.bats", '@test "adds two" {', ["adds two"]],
    ["a_test.clj", "(deftest adds-two", ["adds-two"]],
    ["a.md", 'test("adds two", () => {', []],
  ])("finds those of %s in %j", (path, text, names) => {
    expect(testNames(path, text)).toEqual(names);
  });

  test.each([
    [
      "a.test.ts",
      'test.skip("adds", () => {\nxit("takes", () => {\nit.todo("gives");\n// test("says", () => {',
    ],
    ["a.test.ts", '/*\ntest("adds", () => {\n});\n*/'],
    ["test_a.py", "@pytest.mark.skip(reason='later')\ndef test_adds():"],
    ["test_a.py", "def test_adds(self):\n    self.skipTest('later')"],
    ["a_test.go", 'func TestAdds(t *testing.T) {\n\tt.Skip("later")'],
    ["lib.rs", "#[test]\n#[ignore]\nfn adds() {"],
    ["ATest.java", "@Disabled @Test void adds() {"],
    ["ATests.cs", '[Fact(Skip = "later")]\npublic void Adds()'],
    ["a_test.exs", '@tag :skip\ntest "adds" do'],
    ["a_spec.rb", "it 'adds' do\n  skip 'later'"],
  ])("leaves out a skipped test of %s in %j", (path, text) => {
    expect(testNames(path, text)).toEqual([]);
  });

  test("keeps a test whose name mentions skipping", () => {
    expect(testNames("a.test.ts", 'test("can skip a line", () => {\n  skipLines(3);')).toEqual([
      "can skip a line",
    ]);
  });
});

test("isTestFile recognises folders and names of tests", () => {
  const paths = [
    "tests/data/a.json",
    "src/a.test.ts",
    "a_test.go",
    "test_a.py",
    "FooTest.java",
    "spec/a_spec.rb",
  ];
  expect(paths.filter((path) => !isTestFile(path))).toEqual([]);
  const others = ["src/contest.py", "src/testing.ts", "latest.json", "src/attestation/a.ts"];
  expect(others.filter(isTestFile)).toEqual([]);
});
