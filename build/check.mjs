#!/usr/bin/env node
import { runVitest } from "./runners.mjs";
import { sayOnStderr, setUp } from "./setup/set-up.mjs";
import { checkSteps, describeResult, runSteps } from "./steps.mjs";

async function check() {
  const tests = !process.argv.includes("--no-tests");
  const { node } = await setUp();
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  const results = await runSteps(checkSteps(node.path), (result) => {
    if (result.failed > 0) process.stdout.write(`\n${result.output.trim()}\n`);
    process.stdout.write(`${describeResult(result)}\n`);
  });
  if (tests) {
    const result = await runVitest(node.path);
    process.stdout.write(`${describeResult(result)}\n`);
    results.push(result);
  }
  return results.some(({ failed }) => failed > 0) ? 1 : 0;
}

process.exit(
  await check().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
