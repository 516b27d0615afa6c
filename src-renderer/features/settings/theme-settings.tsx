import type { Settings } from "#shared/contract/views/settings.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { Section } from "./section.tsx";
import { setTheme } from "./settings-actions.ts";

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
        onChange={(next) => void setTheme(next)}
      />
    </Section>
  );
}
