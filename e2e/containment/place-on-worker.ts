import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildScriptedAgent } from "../../src-main/engine/testing/installed-agent.ts";
import { openWorkerMachines } from "../../src-main/engine/testing/worker-machines.ts";
import { emptyTree, makeObjectStore, startFrom } from "../../src-main/places/trees.ts";
import { defaultProtectedFiles } from "../../src-shared/domain/files/protected-files.ts";
import { newCanary, TestBed, workspaceContents } from "./test-bed.ts";

/**
 * A test bed whose workspace is a place of a worker, a process of its own with secrets in its environment and its folder.
 * An agent of another make is installed there.
 *
 * @param keepsPlaces it keeps those that the host has given to others
 */
export async function testBedOnWorker({ keepsPlaces = false } = {}): Promise<TestBed> {
  const canary = newCanary();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hox-containment-host-")));
  const files = join(folder, "files");
  for (const [path, text] of Object.entries(workspaceContents)) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), text);
  }
  const machines = await openWorkerMachines();
  const close = async (): Promise<void> => {
    await machines.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // In no variable that the worker takes for a secret: it would hide the canary in what a command has read.
    const environment = { HOX_CANARY: canary, PATH: `${await agentsFolder()}:${process.env.PATH}` };
    const box = await machines.start("box", null, { environment, keepsPlaces });
    // Where `hox worker join` keeps it.
    writeFileSync(join(box.folder, "key.json"), JSON.stringify({ id: box.id, key: canary }));
    const store = await makeObjectStore(join(folder, "objects.git"), { exclude: "" });
    const take = async (worker: string) => {
      const local = { ...store, folder: files, index: join(folder, `${worker}.index`) };
      await startFrom(local, emptyTree);
      const owner = { repository: "/repo", run: "run", worker };
      const place = await machines.connected.take({
        ...{ ...owner, label: "test", agent: null, local, root: "/repo", exclude: "", hosts: [] },
        protectedFiles: defaultProtectedFiles,
        priority: 0,
        unreachable(error) {
          throw error;
        },
        failed(_, error) {
          throw error;
        },
      });
      const row = machines.places.of(owner);
      if (place === null || row === null) throw new Error("The worker gave no place.");
      return { place, owner, folder: join(box.folder, "places", row.id) };
    };
    const neighbour = await take("agent-2");
    await neighbour.place.files({ protectedFiles: [] }).writeText("secret", canary);
    const { place, owner, folder: here } = await take("agent-1");
    const testBed = new TestBed({
      ...{ canary, folder: realpathSync(here), workspace: join(realpathSync(here), "files") },
      files: place.files({ protectedFiles: defaultProtectedFiles }),
      run: place.run,
      worker: {
        ...{ place, host: folder, hostFiles: files, hostPort: machines.port, folder: box.folder },
        pid: box.child.pid ?? 0,
        giveAway: () => machines.connected.release(owner),
      },
    });
    testBed.after(close);
    return testBed;
  } catch (error) {
    await close();
    throw error;
  }
}

let building: Promise<string> | null = null;

/** With the scripted agent under the name of one that workers know. */
function agentsFolder(): Promise<string> {
  building ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "hox-containment-agents-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    await buildScriptedAgent(join(folder, "bin"));
    return join(folder, "bin");
  })();
  return building;
}
