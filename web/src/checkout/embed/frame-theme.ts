/**
 * The look that an embedding page may choose: a fixed set of tokens, each with a fixed set of values. A value that is not one of them is
 * ignored, so no text of the embedding page becomes CSS. Pure.
 */
import { readableAccent, surfaces } from '../../../../src/catalog/accent.ts';

export type FrameTheme = {
  scheme: 'auto' | 'light' | 'dark';
  /** #rrggbb in lower case. */
  accent: string | undefined;
  radius: keyof typeof radii | undefined;
  font: keyof typeof fonts | undefined;
};

const radii = { none: ['0', '0'], small: ['4px', '3px'], medium: ['10px', '6px'], large: ['18px', '12px'] } as const;

/** Font families that systems provide. The policy of the page allows no others. */
const fonts = {
  system: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  rounded: 'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Quicksand, Nunito, system-ui, sans-serif',
  serif: 'ui-serif, Georgia, Cambria, "Times New Roman", serif',
  mono: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
} as const;

/** `given` returns the value that the embedding page set for a name. */
export function readTheme(given: (name: string) => unknown): FrameTheme {
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | undefined => {
    const text = given(name);
    return values.find((value) => value === text);
  };
  const accent = given('accent');
  return {
    scheme: oneOf('scheme', ['light', 'dark']) ?? 'auto',
    accent: typeof accent === 'string' && /^#[0-9a-f]{6}$/i.test(accent) ? accent.toLowerCase() : undefined,
    radius: oneOf('radius', ['none', 'small', 'medium', 'large']),
    font: oneOf('font', ['system', 'rounded', 'serif', 'mono']),
  };
}

/** The style sheet of a theme. The accent is made readable on either surface. */
export function printTheme({ accent, radius, font }: FrameTheme): string {
  const root = ':root[data-frame]';
  const [large, small] = radius ? radii[radius] : [];
  const plain = [
    large && `--radius: ${large}; --card-radius: ${large};`,
    small && `--radius-small: ${small};`,
    font && `--font: ${fonts[font]};`,
  ];
  const dark = accentOf(accent, surfaces.dark);
  return [
    `${root} { ${[...plain, accentOf(accent, surfaces.light)].filter(Boolean).join(' ')} }`,
    `@media (prefers-color-scheme: dark) { ${root}:not([data-theme="light"]) { ${dark} } }`,
    `${root}[data-theme="dark"] { ${dark} }`,
  ].join('\n');
}

function accentOf(accent: string | undefined, surface: string): string {
  const colours = accent === undefined ? undefined : readableAccent(accent, surface);
  if (!colours) return '';
  return `--accent: ${colours.accent}; --on-accent: ${colours.onAccent}; --accent-ink: ${colours.accentInk};`;
}
