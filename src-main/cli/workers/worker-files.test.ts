/** What is shipped to start workers elsewhere, checked as far as it can be without Docker, systemd and a cluster. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { workerRows } from "./rows.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const read = (name: string): string => readFileSync(join(project, "resources", "worker", name), "utf8");

const join_ = workerRows.find(({ words }) => words === "worker join");
const optionsOfJoin = Object.keys(join_?.takes ?? {}).flatMap((key) => /^--[a-z]+/u.exec(key) ?? []);
const isKnownOption = (text: string): boolean => optionsOfJoin.includes(text);

describe("the container image", () => {
  const text = read("Dockerfile");
  const instructions = text
    .replaceAll(/\\\n/gu, " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

  it("is a Dockerfile without errors and warnings", () => {
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
    expect(validate("FROM scratch\nCOPPY a b\n")).not.toEqual([]);
  });

  it("copies what is there, and starts `hox worker join` as a user without rights", () => {
    for (const line of instructions.filter((one) => /^COPY (?!--from)/u.test(one)))
      for (const path of line.split(/\s+/u).slice(1, -1))
        expect(existsSync(join(project, path)), line).toBe(true);
    expect(instructions.at(-1)).toContain('"/opt/hox/out/main/cli.js", "worker", "join"]');
    expect(instructions.indexOf("USER node")).toBeGreaterThan(0);
  });

  it("is built with all settings of TypeScript that the build reads", () => {
    const rules = read("Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    const isLeftOut = (path: string): boolean => {
      const last = rules.findLast((rule) =>
        `${path}/`.startsWith(rule.replace(/^!/u, "").replace(/\*$/u, "")),
      );
      return last !== undefined && !last.startsWith("!");
    };
    expect(["node_modules/x", "e2e/plan.spec.ts", "docs/a.md"].every(isLeftOut)).toBe(true);
    const { references } = z
      .object({ references: z.array(z.object({ path: z.string() })) })
      .parse(JSON.parse(readFileSync(join(project, "tsconfig.json"), "utf8")));
    const settings = references.map((one) => join(one.path, "tsconfig.json"));
    expect(settings.filter(isLeftOut)).toEqual([]);
  });
});

describe("the systemd unit", () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    Unit: ["Description", "After"],
    Service: [
      ...["EnvironmentFile", "Environment", "ExecStart", "Restart", "RestartSec"],
      ...["KillMode", "TimeoutStopSec", "OOMPolicy"],
    ],
    Install: ["WantedBy"],
  };

  it("has the known keys in their sections, each once, and names only options of the command", () => {
    const found: Record<string, string[]> = {};
    let section = "";
    for (const line of read("hox-worker.service").split("\n")) {
      for (const option of line.match(/--[a-z]+/gu) ?? []) expect(isKnownOption(option), option).toBe(true);
      if (line === "" || line.startsWith("#")) continue;
      const [, name] = /^\[(\w+)\]$/u.exec(line) ?? [];
      const [, key] = /^(\w+)=\S/u.exec(line) ?? [];
      if (name !== undefined) section = name;
      else found[section] = [...(found[section] ?? []), key ?? line];
    }
    expect(found).toEqual(known);
  });
});

describe("the Kubernetes manifest", () => {
  const metadata = z.strictObject({ name: z.literal("hox-worker") });
  const labels = z.strictObject({ app: z.literal("hox-worker") });
  const quantity = z.string().regex(/^\d+(?:[KMG]i)?$/u);
  const amounts = z.partialRecord(z.enum(["cpu", "memory"]), quantity);
  const unconfined = z.strictObject({ type: z.literal("Unconfined") });
  const container = z.strictObject({
    name: z.string(),
    image: z.string().regex(/:\d+\.\d+\.\d+$/u, "is a version, not a moving tag"),
    args: z.array(z.string()),
    env: z.array(
      z.strictObject({
        name: z.string(),
        valueFrom: z.strictObject({
          secretKeyRef: z.strictObject({ name: z.literal("hox-worker"), key: z.literal("invitation") }),
        }),
      }),
    ),
    securityContext: z.strictObject({
      allowPrivilegeEscalation: z.literal(false),
      procMount: z.literal("Unmasked"),
      capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
    }),
    resources: z.strictObject({ requests: amounts, limits: amounts }),
    volumeMounts: z.array(z.strictObject({ name: z.literal("state"), mountPath: z.string() })),
  });
  const pod = z.strictObject({
    hostUsers: z.literal(false),
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: z.number().int(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.number().int().min(1),
      fsGroup: z.number().int().min(1),
      seccompProfile: unconfined,
      appArmorProfile: unconfined,
    }),
    containers: z.tuple([container]),
    volumes: z.tuple([
      z.strictObject({
        name: z.literal("state"),
        persistentVolumeClaim: z.strictObject({ claimName: z.literal("hox-worker") }),
      }),
    ]),
  });
  const kinds = [
    z.strictObject({
      apiVersion: z.literal("v1"),
      kind: z.literal("Secret"),
      metadata,
      stringData: z.strictObject({ invitation: z.string() }),
    }),
    z.strictObject({
      apiVersion: z.literal("v1"),
      kind: z.literal("PersistentVolumeClaim"),
      metadata,
      spec: z.strictObject({
        accessModes: z.tuple([z.literal("ReadWriteOnce")]),
        resources: z.strictObject({ requests: z.strictObject({ storage: quantity }) }),
      }),
    }),
    z.strictObject({
      apiVersion: z.literal("apps/v1"),
      kind: z.literal("Deployment"),
      metadata,
      spec: z.strictObject({
        // One key is for one machine.
        replicas: z.literal(1),
        strategy: z.strictObject({ type: z.literal("Recreate") }),
        selector: z.strictObject({ matchLabels: labels }),
        template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
      }),
    }),
  ] as const;
  const documents = parseAllDocuments(read("kubernetes.yaml"), { version: "1.2", strict: true });

  it("has the known fields with their types, and the names that belong together", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(documents).toHaveLength(kinds.length);
    for (const [at, kind] of kinds.entries())
      expect(kind.safeParse(documents[at]?.toJS()).error).toBeUndefined();
  });

  it("gives the command its address and known options, and keeps the key in the volume", () => {
    const { spec } = kinds[2].parse(documents[2]?.toJS());
    const [worker] = spec.template.spec.containers;
    const [address, ...options] = worker.args;
    expect(address).toMatch(/^wss:\/\//u);
    expect(options.filter((_, at) => at % 2 === 0).every(isKnownOption)).toBe(true);
    for (const [, name] of worker.args.join(" ").matchAll(/\$\((\w+)\)/gu))
      expect(worker.env.map((one) => one.name)).toContain(name);
    expect(read("Dockerfile")).toContain(`HOX_STATE=${worker.volumeMounts[0]?.mountPath}\n`);
  });
});
