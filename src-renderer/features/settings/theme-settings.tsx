import type { Settings } from "#shared/contract/views/settings.ts";
import { client } from "../../client.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { attempt } from "../../state/notice-store.ts";
import { Section } from "./section.tsx";

export function ThemeSettings({ theme }: { readonly theme: Settings["theme"] }) {
  return (
    <Section title="Theme">
      <Segmented
        label="Theme"
        value={theme}
        options={[
          { value: "system", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        onChange={(next) =>
          void attempt("The theme was not changed", () => client.settings.change({ theme: next }))
        }
      />
    </Section>
  );
}
