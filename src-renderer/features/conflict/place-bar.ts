/** What stands above each place in the editor: who brought what, each taken with one click. */
import { type EditorState, type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { ConflictPart } from "#shared/domain/conflict/conflict-text.ts";
import { type Choice, choicesAt, type Place, placesAfter } from "./places.ts";

const keepDecided = StateEffect.define<number>();

/** Follows the places through every edit. @param initial of the beginning, or of what was written before */
export function placesField(initial: readonly Place[]): StateField<readonly Place[]> {
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

/** The bars, and the lines of places that nobody has decided. */
export function placeBars(
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
  /** What stands in the place. */
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
  // The focus stays in the text, where the person goes on.
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
