import { chmod, mkdir, rm, stat } from "node:fs/promises";
import type { Server } from "node:net";
import { dirname } from "node:path";

/** Of a socket's address, in the kernel. */
const maxPathBytes = 103;

/**
 * Has a server listen at a Unix socket that is for this user alone: whoever reaches it may spend, or use tools.
 * @param path of the socket; one that an earlier process left there is replaced
 * @throws Error where the path is too long for the kernel, or its folder is open to other users
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new Error(`The path of a socket may have ${maxPathBytes} bytes: ${path}. Use a shorter folder.`);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (((await stat(folder)).mode & 0o077) !== 0)
    throw new Error(`${folder} is open to other users. Use a folder with the mode 0700 for the socket.`);
  // Of a host that ended without closing it.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
}
