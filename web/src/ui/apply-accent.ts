/** Applies a merchant's color to the whole page, adjusted for light and dark surfaces. Null or an invalid color keeps the default. */
import { readableAccent, surfaces } from '../../../src/catalog/accent.ts';

export function applyAccent(colour: string | null | undefined): void {
  const root = document.documentElement.style;
  for (const mode of ['light', 'dark'] as const) {
    const colours = colour ? readableAccent(colour, surfaces[mode]) : undefined;
    const values = { accent: colours?.accent, 'on-accent': colours?.onAccent, 'accent-ink': colours?.accentInk };
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) root.removeProperty(`--${name}-${mode}`);
      else root.setProperty(`--${name}-${mode}`, value);
    }
  }
}
