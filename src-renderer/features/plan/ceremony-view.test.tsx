import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Ceremony } from "#shared/domain/ceremony/ceremony-parts.ts";
import { fullCeremony } from "#shared/domain/ceremony/testing/full-ceremony.ts";
import { CeremonyView } from "./ceremony-view.tsx";

const ceremony: Ceremony = {
  ...fullCeremony,
  contracts: { value: "none", by: "plan", reason: "One task shares nothing with anybody." },
  seats: { value: "all", by: "configuration", reason: "Set by ceremony.seats in .hox/config.toml." },
};

const buttons = (markup: string): readonly string[] =>
  [...markup.matchAll(/<button[^>]*aria-label="([^"]+)"/gu)].map(([, label = ""]) => label);

test("each part stands with its reason, and has a menu unless the configuration or the course has settled it", () => {
  const markup = renderToStaticMarkup(
    <CeremonyView ceremony={ceremony} wishes={undefined} onEdit={() => undefined} settled={["integrator"]} />,
  );
  expect(markup).toContain("One task shares nothing with anybody.");
  expect(markup).toContain("Set by ceremony.seats in .hox/config.toml.");
  expect(buttons(markup)).toEqual([
    "Contracts: no contracts",
    "Reviews: each task is reviewed",
    "Learning: learning",
  ]);
  expect(buttons(renderToStaticMarkup(<CeremonyView ceremony={ceremony} wishes={undefined} />))).toEqual([]);
});
