/**
 * A merchant's accent color, adjusted until it is readable on a light and on a dark surface. WCAG 2.2 AA requires a contrast of 4.5:1
 * for text (1.4.3), and of 3:1 for the shape of a button (1.4.11).
 */

export type AccentColours = {
  /** The fill of buttons. */
  accent: string;
  /** The color of text on the fill. */
  onAccent: string;
  /** The color of links and other text on the surface. */
  accentInk: string;
};

/** The surfaces behind accents, which are equal to `--surface` in tokens.css. */
export const surfaces = { light: '#ffffff', dark: '#171b21' } as const;
export type Mode = keyof typeof surfaces;

const TEXT_CONTRAST = 4.5;
/** The minimum contrast of a fill against its surroundings. */
const SHAPE_CONTRAST = 3;

/** `colour` is `#rrggbb`; returns undefined for anything else. `surface` is the color behind the accent. */
export function readableAccent(colour: string, surface: string): AccentColours | undefined {
  const given = parseHex(colour);
  const ground = parseHex(surface);
  if (!given || !ground) return undefined;
  const towards: Rgb = luminance(ground) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  const fill = moveUntil(given, towards, (one) => contrast(one, ground) >= SHAPE_CONTRAST);
  const ink = moveUntil(given, towards, (one) => contrast(one, ground) >= TEXT_CONTRAST);
  const white: Rgb = [255, 255, 255];
  const black: Rgb = [11, 14, 20];
  const onFill = contrast(white, fill) >= contrast(black, fill) ? white : black;
  const settled = moveUntil(
    fill,
    onFill === white ? [0, 0, 0] : [255, 255, 255],
    (one) => contrast(onFill, one) >= TEXT_CONTRAST,
  );
  return { accent: printHex(settled), onAccent: printHex(onFill), accentInk: printHex(ink) };
}

/** From 1 to 21, of two colours `#rrggbb`. */
export function contrastOf(one: string, other: string): number {
  const [left, right] = [parseHex(one), parseHex(other)];
  return left && right ? contrast(left, right) : 1;
}

type Rgb = [red: number, green: number, blue: number];

function moveUntil(colour: Rgb, towards: Rgb, isGood: (colour: Rgb) => boolean): Rgb {
  for (let step = 0; step <= 50; step += 1) {
    const part = step / 50;
    const moved: Rgb = [
      mix(colour[0], towards[0], part),
      mix(colour[1], towards[1], part),
      mix(colour[2], towards[2], part),
    ];
    if (isGood(moved)) return moved;
  }
  return towards;
}

function mix(from: number, to: number, part: number): number {
  return Math.round(from + (to - from) * part);
}

function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number) => {
    const part = channel / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function parseHex(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? [];
  if (!red || !green || !blue) return undefined;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

function printHex(colour: Rgb): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
