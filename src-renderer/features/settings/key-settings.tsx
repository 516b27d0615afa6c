import { useState } from "react";
import type { KeyView } from "#shared/contract/views/app.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { attempt } from "../../state/notice-store.ts";
import { Section } from "./section.tsx";

const sources: Readonly<Record<KeyView["source"], string>> = {
  environment: "from the environment (ANTHROPIC_API_KEY)",
  keychain: "from the system keychain",
  session: "for this session only",
  none: "none",
};

/** The key goes to the host and never comes back; only its last four characters are shown. */
export function KeySettings({ keyView }: { readonly keyView: KeyView }) {
  const [key, setKey] = useState("");
  const [isSaving, setSaving] = useState(false);
  const save = async (): Promise<void> => {
    setSaving(true);
    const saved = await attempt("The key was not saved", () => client.settings.setKey({ key: key.trim() }));
    setSaving(false);
    if (saved) setKey("");
  };
  return (
    <Section title="API key">
      <p className="mb-2 text-muted">
        {keyView.source === "none" ? (
          "No key yet. Only your own runs need one."
        ) : (
          <>
            <code className="font-mono">…{keyView.hint}</code>, {sources[keyView.source]}
            {keyView.isVerified && <span className="text-success">, verified with the provider</span>}
          </>
        )}
        {keyView.baseUrl && (
          <>
            , sent to <code className="font-mono">{keyView.baseUrl}</code>
          </>
        )}
      </p>
      {keyView.warning && (
        <p className="mb-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">{keyView.warning}</p>
      )}
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") void save();
        }}
      >
        <div className="flex-1">
          <Field label={keyView.source === "none" ? "Key" : "New key"}>
            {(ids) => (
              <TextInput
                {...ids}
                type="password"
                value={key}
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" disabled={key.trim() === "" || isSaving} className="mt-[22px]">
          {isSaving ? "Checking…" : "Save"}
        </Button>
        {(keyView.source === "keychain" || keyView.source === "session") && (
          <Button
            look="danger"
            className="mt-[22px]"
            onClick={() => void attempt("The key was not removed", () => client.settings.clearKey())}
          >
            Remove
          </Button>
        )}
      </form>
    </Section>
  );
}
