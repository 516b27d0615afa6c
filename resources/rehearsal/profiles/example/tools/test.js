// Runs the tests in this one process where Node can (22.8 or later), so it is quick enough for every save.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const files = readdirSync("test")
  .filter((name) => name.endsWith(".test.js"))
  .map((name) => join("test", name));

run({ files, isolation: "none", concurrency: true })
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
