/**
 * Runs inside the sandbox, where only a loopback interface is: what connects to a port of it is handed to a Unix
 * socket that leads outside, to the proxy that decides what passes. Starts the command once it listens, and ends with
 * it and as it did.
 *
 *   node loopback-forwarder.mjs <socket> <port> <program> [argument …]
 */
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

const [socket, port, program, ...args] = process.argv.slice(2);
const cannotStart = { ENOENT: 127, EACCES: 126 };

const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket, allowHalfOpen: true });
  inside.pipe(outside);
  outside.pipe(inside);
  for (const [one, other] of [
    [inside, outside],
    [outside, inside],
  ]) {
    // An error is followed by a close, and a side that closed lets the other say what it still has.
    one.on("error", () => one.destroy());
    one.on("close", () => other.destroySoon());
  }
});

server.on("error", (error) => {
  process.stderr.write(`The network of this command could not be opened: ${error.message}\n`);
  process.exit(125);
});

server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`${program}: ${error.message}\n`);
    process.exit(cannotStart[error.code] ?? 126);
  });
  // As a shell says how its command ended.
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
});
