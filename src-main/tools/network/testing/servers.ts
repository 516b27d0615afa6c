import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** A certificate of its own for these names, made anew each time: no key lies in the repository. */
export function certificateFor(...names: readonly string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "hox-certificate-"));
  const path = (name: string): string => join(folder, name);
  try {
    const options = [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-keyout", path("key"), "-out", path("cert"), "-subj", `/CN=${names[0]}`],
      ...["-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`],
    ];
    // What it shows of its progress is nothing new; what went wrong stands in the error.
    execFileSync("openssl", options, { stdio: "pipe" });
    return { key: readFileSync(path("key")), cert: readFileSync(path("cert")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A real server on this machine's loopback; tests reach it as the address of an allowed name. */
export async function serve(listener: RequestListener, certificate?: Certificate): Promise<RunningServer> {
  return listening(certificate ? createHttpsServer(certificate, listener) : createHttpServer(listener));
}

export async function listening(server: Server): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Sends bytes to a Unix socket and reads until it closes, or until `until` has come. */
export function exchange(path: string, bytes: string | Uint8Array, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    let text = "";
    const timer = setTimeout(() => socket.destroy(new Error(`No end came after: ${text}`)), 20_000);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (until?.test(text)) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A peer that refuses may close before it has read everything.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") socket.destroy();
      else reject(error);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
    socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  });
}
