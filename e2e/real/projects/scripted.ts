import type { Program, RealProject } from "../project.ts";

const ruby: Program = { name: "ruby", remedy: "apt-get install ruby" };
const rake: Program = { name: "rake", remedy: "apt-get install rake ruby-minitest" };
const php: Program = { name: "php", remedy: "apt-get install php-cli php-xml php-mbstring" };
const composer: Program = { name: "composer", remedy: "apt-get install composer" };
const phpunit: Program = { name: "phpunit", remedy: "apt-get install phpunit" };
const maven: Program = { name: "mvn", remedy: "apt-get install maven" };
/** Debian's own repository of Maven, in which all plugins are that a build and its tests take. */
const debianMaven: Program = {
  name: "Debian's repository of Maven with surefire and JUnit",
  probe:
    "test -d /usr/share/maven-repo/junit/junit/4.x && test -d /usr/share/maven-repo/org/apache/maven/surefire/surefire-junit4",
  remedy: "apt-get install maven-debian-helper libsurefire-java junit4",
};
const mix: Program = { name: "mix", remedy: "apt-get install elixir erlang-dev" };

export const builder: RealProject = {
  name: "builder",
  language: "Ruby",
  shows: ["red"],
  archive: {
    registry: "debian",
    name: "ruby-builder",
    version: "3.2.4-2",
    sha256: "3c8909d90012accdfc101a168b78574314e3d952d4b7f920c72df0dc3320a230",
  },
  programs: [ruby, rake],
  goal: "Write a comment that no reader takes for the end of one.",
  work: [
    {
      id: "comments",
      title: "Add Builder.safe_comment",
      edits: [
        {
          path: "lib/builder/safe_comment.rb",
          content:
            "# frozen_string_literal: true\n\nmodule Builder\n  # Text without the two dashes that end a comment.\n  def self.safe_comment(text)\n    text.gsub(/-(?=-)/, '- ').sub(/-\\z/, '- ')\n  end\nend\n",
        },
        {
          path: "test/test_safe_comment.rb",
          content:
            "#!/usr/bin/env ruby\n\nrequire 'helper'\nrequire 'builder'\nrequire 'builder/safe_comment'\n\nclass TestSafeComment < Builder::Test\n  def test_no_end_within\n    assert_equal 'a- - b', Builder.safe_comment('a-- b')\n    assert_equal 'c- ', Builder.safe_comment('c-')\n  end\nend\n",
        },
      ],
      command: "ruby -Ilib:test test/test_safe_comment.rb",
    },
  ],
  test: "rake test TESTOPTS=--verbose",
  proof: /TestSafeComment#test_no_end_within = [\d.]+ s = \./u,
  checks: ["rake test"],
};

export const assert: RealProject = {
  name: "webmozart-assert",
  language: "PHP",
  shows: [],
  archive: {
    registry: "debian",
    name: "php-webmozart-assert",
    version: "1.11.0-1",
    sha256: "46bd2f759fae351c1c98dd2d372daff7be6dac41d372c4bb4cc746968dd01ada",
  },
  programs: [php, composer, phpunit],
  install: ["composer --no-interaction --quiet dump-autoload"],
  goal: "Say what was expected in the words of the message.",
  work: [
    {
      id: "expected",
      title: "Add Expected::either",
      edits: [
        {
          path: "src/Expected.php",
          content:
            "<?php\n\nnamespace Webmozart\\Assert;\n\n/**\n * Words for what was expected.\n */\nfinal class Expected\n{\n    /**\n     * @param string[] $names\n     *\n     * @return string\n     */\n    public static function either(array $names)\n    {\n        $last = \\array_pop($names);\n\n        return $names ? \\implode(', ', $names).' or '.$last : (string) $last;\n    }\n}\n",
        },
        {
          path: "tests/ExpectedTest.php",
          content:
            "<?php\n\nnamespace Webmozart\\Assert\\Tests;\n\nuse PHPUnit\\Framework\\TestCase;\nuse Webmozart\\Assert\\Expected;\n\nclass ExpectedTest extends TestCase\n{\n    public function testEither()\n    {\n        $this->assertSame('a, b or c', Expected::either(array('a', 'b', 'c')));\n        $this->assertSame('a', Expected::either(array('a')));\n    }\n}\n",
        },
      ],
      command: "phpunit --filter ExpectedTest",
    },
  ],
  test: "phpunit --testdox",
  proof: /Either/u,
  checks: ["phpunit"],
};

export const eex: RealProject = {
  name: "eex",
  language: "Elixir",
  shows: [],
  archive: {
    registry: "debian",
    name: "elixir-lang",
    version: "1.14.0.dfsg-2",
    sha256: "3dfa724f36b90d1bc41b9626a8ea0c293255c3a21a4d608c576ce39e2a23e5c9",
    folder: "lib/eex",
  },
  programs: [mix],
  files: { ".gitignore": "/_build\n/deps\n" },
  goal: "Tell whether a template has anything to evaluate.",
  work: [
    {
      id: "plain",
      title: "Add EEx.Plain",
      edits: [
        {
          path: "lib/eex/plain.ex",
          content:
            'defmodule EEx.Plain do\n  @moduledoc false\n\n  @doc """\n  Whether a template is text and nothing else.\n  """\n  def plain?(source) when is_binary(source) do\n    case EEx.tokenize(source) do\n      {:ok, tokens} -> Enum.all?(tokens, &(elem(&1, 0) in [:text, :comment, :eof]))\n      {:error, _, _} -> false\n    end\n  end\nend\n',
        },
        {
          path: "test/eex/plain_test.exs",
          content:
            'defmodule EEx.PlainTest do\n  use ExUnit.Case, async: true\n\n  test "text alone is plain" do\n    assert EEx.Plain.plain?("hello")\n    refute EEx.Plain.plain?("hello <%= 1 %>")\n  end\nend\n',
        },
      ],
      command: "mix test test/eex/plain_test.exs",
    },
  ],
  test: "mix test --trace",
  proof: /test text alone is plain \([\d.]+ms\)/u,
  checks: ["mix compile", "mix test"],
};

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.itadaki</groupId>
  <artifactId>bzip2</artifactId>
  <version>0.9.1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.x</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <sourceDirectory>src</sourceDirectory>
    <testSourceDirectory>src</testSourceDirectory>
    <plugins>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <configuration>
          <excludes><exclude>test/**</exclude></excludes>
          <testIncludes><testInclude>test/**</testInclude></testIncludes>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
`;

/** It was built by an editor; who takes it over writes a build file, with the packages that Debian has. */
export const bzip2: RealProject = {
  name: "jbzip2",
  language: "Java",
  shows: [],
  archive: {
    registry: "debian",
    name: "libjbzip2-java",
    version: "0.9.1-8",
    sha256: "1ad75553a36782c5b805af058c55f8fbf58dd3744b82fc66769f9053a19ebeec",
  },
  programs: [maven, debianMaven],
  files: {
    ".gitignore": "target/\n",
    "pom.xml": pom,
    ".mvn/maven.config": "-Dmaven.repo.local=/usr/share/maven-repo\n",
  },
  goal: "Tell whether bytes begin as bzip2 does.",
  work: [
    {
      id: "signature",
      title: "Add BZip2Signature",
      edits: [
        {
          path: "src/org/itadaki/bzip2/BZip2Signature.java",
          content:
            "package org.itadaki.bzip2;\n\n/** How a stream of bzip2 begins. */\npublic final class BZip2Signature {\n\n\tprivate BZip2Signature() {\n\t}\n\n\t/** Whether the bytes begin as bzip2 does: BZh and a block size. */\n\tpublic static boolean matches (final byte[] bytes) {\n\t\treturn bytes.length >= 4 && bytes[0] == 'B' && bytes[1] == 'Z' && bytes[2] == 'h'\n\t\t\t\t&& bytes[3] >= '1' && bytes[3] <= '9';\n\t}\n}\n",
        },
        {
          path: "src/test/TestBZip2Signature.java",
          content:
            "package test;\n\nimport static org.junit.Assert.assertFalse;\nimport static org.junit.Assert.assertTrue;\n\nimport java.io.ByteArrayOutputStream;\nimport java.io.IOException;\nimport org.itadaki.bzip2.BZip2OutputStream;\nimport org.itadaki.bzip2.BZip2Signature;\nimport org.junit.Test;\n\npublic class TestBZip2Signature {\n\n\t@Test\n\tpublic void testWritten() throws IOException {\n\t\tByteArrayOutputStream bytes = new ByteArrayOutputStream();\n\t\tBZip2OutputStream out = new BZip2OutputStream (bytes);\n\t\tout.write (1);\n\t\tout.close();\n\t\tassertTrue (BZip2Signature.matches (bytes.toByteArray()));\n\t\tassertFalse (BZip2Signature.matches (new byte[] { 1, 2, 3, 4 }));\n\t}\n}\n",
        },
      ],
      command: "mvn -B -q -o test -Dtest=TestBZip2Signature",
    },
  ],
  test: "mvn -B -o test",
  proof:
    /Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: \S+ s - in test\.TestBZip2Signature/u,
  checks: ["mvn test-compile", "mvn test"],
};
