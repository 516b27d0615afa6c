// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is code that is looked for in files
import type { Mutant } from "./mutants.ts";

const places = "src-main/places";

/** Holes around agents of other makes on workers. */
export const workerMutants: readonly Mutant[] = [
  {
    name: "places-of-a-worker-see-each-other",
    file: `${places}/machine/held-place.ts`,
    code: "readable: [sharedHistoryFolder(cache.root)],",
    hole: 'readable: [sharedHistoryFolder(cache.root), join(folder, "..")],',
    cases: ["read-the-place-of-another-agent-on-a-worker", "the-place-of-another-agent-on-a-worker"],
  },
  {
    name: "agents-on-workers-share-the-network",
    file: "src-main/tools/sandbox/bubblewrap.ts",
    code: '"--new-session", "--clearenv"',
    hole: '"--new-session", "--clearenv", ...(workspace.includes("hox-workers-") ? ["--share-net"] : [])',
    cases: ["the-network-of-worker-and-host-on-a-worker"],
  },
  {
    name: "agents-see-the-folder-of-their-worker",
    file: `${places}/machine/placed-agent.ts`,
    code: "startIn({ ...program, endsWithHost: true })",
    hole: 'startIn({ ...program, endsWithHost: true, mounts: [...program.mounts, { source: join(home, "../../.."), destination: "/run/worker" }] })',
    cases: ["the-key-of-its-worker-on-a-worker"],
  },
  {
    name: "agents-of-a-worker-share-their-sockets",
    file: `${places}/machine/placed-agent.ts`,
    code: "startIn({ ...program, endsWithHost: true })",
    hole: 'startIn({ ...program, endsWithHost: true, mounts: [...program.mounts, { source: join(sockets, ".."), destination: "/run/sockets" }] })',
    cases: ["the-sockets-of-another-agent-on-a-worker"],
  },
  {
    name: "the-environment-of-a-worker-reaches-agents",
    file: "src-main/tools/sandbox/bubblewrap.ts",
    code: 'args.push("--info-fd", String(descriptors.info));',
    hole: 'args.push("--info-fd", String(descriptors.info)); for (const [name, value] of Object.entries(process.env)) if (name.startsWith("HOX_")) args.push("--setenv", name, value ?? "");',
    cases: ["secrets-of-every-process-on-a-worker"],
  },
  {
    name: "ended-leases-open-gateway-and-tools",
    file: `${places}/host/remote-agent.ts`,
    code: "if (reason !== null) throw new Error(reason);",
    hole: "void reason;",
    cases: [
      "requests-after-its-place-was-given-away-on-a-worker",
      "requests-of-a-worker-that-keeps-its-place-on-a-worker",
    ],
  },
  {
    name: "workers-keep-what-was-given-away",
    file: `${places}/machine/machine.ts`,
    code: "if ((wanted.get(id) ?? -1) !== epoch)",
    hole: "if (wanted.has(epoch))",
    cases: ["its-place-is-removed-when-it-was-given-away-on-a-worker"],
  },
  {
    name: "agents-take-all-descriptors-of-a-worker",
    file: `${places}/machine/tunnels.ts`,
    code: "server.maxConnections = maxConnections;",
    hole: "",
    cases: ["more-connections-than-its-worker-has-descriptors-on-a-worker"],
  },
  {
    name: "sessions-lead-out",
    file: `${places}/machine/read-sessions.ts`,
    code: "if (stats?.isDirectory())",
    hole: 'if (stats?.isSymbolicLink() && at.endsWith(".json")) found[at] = (await import("node:fs")).readFileSync(`${home}/${at}`, "utf8"); else if (stats?.isDirectory())',
    cases: ["sessions-that-lead-to-other-files-on-a-worker"],
  },
  {
    name: "workers-read-files-while-agents-run",
    file: `${places}/machine/held-place.ts`,
    code: "changes: (since) => whileQuiet(files, () => changesSince(place, since)),",
    hole: "changes: (since) => changesSince(place, since),",
    cases: ["files-that-are-exchanged-while-its-worker-reads-them-on-a-worker"],
    tries: 4,
  },
  {
    name: "workers-put-nothing-back",
    file: `${places}/machine/machine.ts`,
    code: "({ input }) => held(input).agent.restoreProtected()",
    hole: "() => []",
    cases: ["protected-files-that-it-plants-on-a-worker"],
  },
  {
    name: "ended-agents-of-workers-keep-what-they-planted",
    file: `${places}/machine/placed-agent.ts`,
    code: "ended = [...ended, left.runner];",
    hole: "",
    cases: [
      "protected-files-that-it-plants-before-its-runner-is-killed-on-a-worker",
      "protected-files-that-it-plants-after-its-turn-on-a-worker",
    ],
  },
];
