import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { type RefObject, useEffect, useRef } from "react";
import { type ConflictPart, textOfTerm } from "#shared/domain/conflict/conflict.ts";
import { type Draft, editorKeys, keepDraft } from "./conflict-store.ts";
import { type Choice, choicesAt, type Place, placesAfter } from "./places.ts";

interface MergeEditorProps {
  readonly seen: string;
  readonly parts: readonly ConflictPart[];
  /** Of the sides and bases, in their order. */
  readonly names: readonly string[];
  /** The side shown on the left. */
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

const keepDecided = StateEffect.define<number>();

/**
 * Follows the conflicts' positions through every edit.
 * @param initial as the editor opens
 */
function placesField(initial: readonly Place[]): StateField<readonly Place[]> {
  return StateField.define<readonly Place[]>({
    create: () => initial,
    update(places, { docChanged, changes, effects }) {
      const moved = docChanged ? placesAfter(places, changes) : places;
      const chosen = effects.flatMap((effect) => (effect.is(keepDecided) ? [effect.value] : []));
      return chosen.length === 0
        ? moved
        : moved.map((place) => (chosen.includes(place.nth) ? { ...place, isDecided: true } : place));
    },
  });
}

/** The bars, and the lines of undecided conflicts. */
function placeBars(
  field: StateField<readonly Place[]>,
  parts: readonly ConflictPart[],
  names: readonly string[],
): Extension {
  const choices = new Map<number, readonly Choice[]>();
  const choicesOf = (nth: number): readonly Choice[] => {
    const known = choices.get(nth) ?? choicesAt(parts, nth, names);
    choices.set(nth, known);
    return known;
  };
  const draw = (state: EditorState): DecorationSet => {
    const places = state.field(field);
    const ranges = places.flatMap((place) => {
      const text = state.doc.sliceString(place.from, place.to);
      const widget = new PlaceBar({
        place,
        of: places.length,
        choices: choicesOf(place.nth),
        text,
        field,
      });
      return [
        Decoration.widget({ widget, block: true, side: -1 }).range(lineStart(state.doc, place.from)),
        ...(place.isDecided ? [] : linesOf(state.doc, place).map((from) => undecidedLine.range(from))),
      ];
    });
    return Decoration.set(ranges, true);
  };
  return StateField.define<DecorationSet>({
    create: draw,
    update: (_, { state }) => draw(state),
    provide: (drawn) => EditorView.decorations.from(drawn),
  });
}

const undecidedLine = Decoration.line({ class: "cm-undecided" });
const lineStart = (doc: Text, position: number): number => doc.lineAt(position).from;

function linesOf(doc: Text, { from, to }: Place): readonly number[] {
  const starts: number[] = [];
  for (let at = from; at < to; ) {
    const line = doc.lineAt(at);
    starts.push(line.from);
    at = line.to + 1;
  }
  return starts;
}

/** What a bar is drawn from. */
interface Shown {
  readonly place: Place;
  readonly of: number;
  readonly choices: readonly Choice[];
  /** The current text. */
  readonly text: string;
  readonly field: StateField<readonly Place[]>;
}

class PlaceBar extends WidgetType {
  readonly shown: Shown;

  constructor(shown: Shown) {
    super();
    this.shown = shown;
  }

  override eq({ shown: { place, text } }: PlaceBar): boolean {
    const own = this.shown;
    return own.place.nth === place.nth && own.place.isDecided === place.isDecided && own.text === text;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { place, of, choices, text } = this.shown;
    const bar = document.createElement("div");
    bar.className = `cm-place ${place.isDecided ? "" : "cm-place-open"}`;
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", `Conflict ${place.nth + 1} of ${of}`);
    const name = document.createElement("span");
    name.textContent = `${place.nth + 1} / ${of}`;
    bar.append(name, ...choices.map((choice) => buttonOf(this.shown, choice, view)));
    if (place.isDecided && !choices.some((choice) => choice.text === text)) {
      const own = document.createElement("span");
      own.textContent = "edited by you";
      bar.append(own);
    }
    return bar;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function buttonOf({ place, text, field }: Shown, choice: Choice, view: EditorView): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = choice.label;
  button.title = choice.text === "" ? "Empty" : choice.text.slice(0, 400);
  button.setAttribute("aria-pressed", String(place.isDecided && choice.text === text));
  // The focus stays in the text, where the user continues.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    const now = view.state.field(field).find(({ nth }) => nth === place.nth);
    if (!now) return;
    view.dispatch({
      changes: { from: now.from, to: now.to, insert: choice.text },
      selection: { anchor: now.from },
      effects: keepDecided.of(place.nth),
      userEvent: "input.choose",
    });
  });
  return button;
}

/** The window's own tokens, so that it follows the theme. */
const mergeTheme = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "max(12px, calc(12px * var(--text-scale)))",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--text)", padding: "4px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--faint)",
    borderRight: "1px solid var(--line)",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": {
    backgroundColor: "var(--selected)",
  },
  ".cm-undecided": { backgroundColor: "var(--warning-soft)" },
  ".cm-collapsedLines": {
    color: "var(--muted)",
    background: "var(--sunken)",
    padding: "2px 12px",
    fontFamily: "var(--font-sans)",
  },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--info-soft)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--success-soft)" },
  "&.cm-merge-b .cm-changedLine.cm-undecided": { backgroundColor: "var(--warning-soft)" },
  "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText": {
    background: "none",
    textDecoration: "underline",
    textDecorationColor: "var(--faint)",
    textUnderlineOffset: "3px",
  },
  "&.cm-merge-a .cm-changedLineGutter": { background: "var(--info)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--success)" },
  ".cm-place": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "4px",
    padding: "3px 8px",
    color: "var(--muted)",
    backgroundColor: "var(--sunken)",
    borderTop: "1px solid var(--line)",
    fontFamily: "var(--font-sans)",
    fontSize: "max(11px, calc(11px * var(--text-scale)))",
  },
  ".cm-place-open": { color: "var(--warning)", backgroundColor: "var(--warning-soft)" },
  ".cm-place button": {
    maxWidth: "220px",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    padding: "0 6px",
    lineHeight: "20px",
  },
  ".cm-place button:hover": { backgroundColor: "var(--hover)" },
  ".cm-place button[aria-pressed=true]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
    borderColor: "transparent",
  },
});

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
