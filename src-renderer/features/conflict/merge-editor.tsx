import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView } from "@codemirror/merge";
import { EditorState, type StateField } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { type RefObject, useEffect, useRef } from "react";
import type { ConflictPart } from "#shared/domain/conflict/conflict-text.ts";
import { textOfTerm } from "#shared/domain/conflict/conflict-text.ts";
import { editorKeys } from "./conflict-keys.ts";
import { type Draft, keepDraft } from "./conflict-store.ts";
import { mergeTheme } from "./merge-theme.ts";
import { placeBars, placesField } from "./place-bar.ts";
import type { Place } from "./places.ts";

interface MergeEditorProps {
  readonly seen: string;
  readonly parts: readonly ConflictPart[];
  /** Of the sides and bases, in their order. */
  readonly names: readonly string[];
  /** The one that stands on the left. */
  readonly compared: number;
  readonly initial: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSave: () => void;
  /** How to go to the next or the previous place. */
  readonly walk: RefObject<(step: 1 | -1) => void>;
}

/** One side on the left, the result on the right. What is written is kept until it is saved. */
export function MergeEditor({
  seen,
  parts,
  names,
  compared,
  initial,
  onChange,
  onSave,
  walk,
}: MergeEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useRef<MergeView | null>(null);
  const heard = useRef({ onChange, onSave });
  heard.current = { onChange, onSave };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another state of the file is another editor
  useEffect(() => {
    if (!frame.current) return;
    const field = placesField(initial.places);
    const here = {
      save: () => heard.current.onSave(),
      goTo: (step: 1 | -1): boolean => goToPlace(view.b, field, step),
    };
    const view: MergeView = new MergeView({
      parent: frame.current,
      a: {
        doc: textOfTerm(parts, compared),
        extensions: [
          ...reading,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": "Side" }),
        ],
      },
      b: {
        doc: initial.text,
        extensions: [
          field,
          placeBars(field, parts, names),
          history(),
          keymap.of([...editorKeys(here), ...defaultKeymap, ...historyKeymap]),
          ...reading,
          EditorView.contentAttributes.of({ "aria-label": "Result" }),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged && transactions.every(({ effects }) => effects.length === 0)) return;
            const draft = { text: state.doc.toString(), places: state.field(field) };
            keepDraft(seen, draft);
            heard.current.onChange(draft);
          }),
        ],
      },
      revertControls: "a-to-b",
      renderRevertControl: takeControl,
      gutter: true,
    });
    shown.current = view;
    walk.current = (step) => void here.goTo(step);
    view.b.focus();
    const first = initial.places.find(({ isDecided }) => !isDecided);
    if (first) goTo(view.b, first);
    return () => {
      shown.current = null;
      view.destroy();
    };
  }, [seen]);
  useEffect(() => {
    const side = shown.current?.a;
    if (!side) return;
    const text = textOfTerm(parts, compared);
    if (side.state.doc.toString() !== text)
      side.dispatch({ changes: { from: 0, to: side.state.doc.length, insert: text } });
  }, [parts, compared]);
  return <div ref={frame} className="merge-editor h-full min-h-0 overflow-auto" />;
}

const reading = [lineNumbers(), highlightSpecialChars(), EditorView.lineWrapping, mergeTheme];

/** Places that wait come first; when all are decided it walks through all of them. */
function goToPlace(view: EditorView, field: StateField<readonly Place[]>, step: 1 | -1): boolean {
  const all = view.state.field(field);
  const waiting = all.filter(({ isDecided }) => !isDecided);
  const places = waiting.length > 0 ? waiting : all;
  const at = view.state.selection.main.head;
  const ahead = places.filter(({ from }) => (step > 0 ? from > at : from < at));
  const next = step > 0 ? (ahead[0] ?? places[0]) : (ahead.at(-1) ?? places.at(-1));
  if (next) goTo(view, next);
  return true;
}

function goTo(view: EditorView, { from }: Place): void {
  view.dispatch({
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from, { y: "center" }),
  });
  view.focus();
}

/** Between the two: brings what differs on the left into the result. */
function takeControl(): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cm-take";
  button.textContent = "→";
  button.title = "Use this in the result";
  button.setAttribute("aria-label", button.title);
  return button;
}
