/** The layout of every mail is readable in both color schemes, and safe for any text. */
import { expect, test } from 'vitest';
import { contrastOf } from '../../../src/catalog/accent.ts';
import { mailLookOf } from '../../../src/catalog/mail-look.ts';
import { mailCards, mailPage, plainLook } from '../../../src/platform/mail/mail-page.ts';

test('buttons are readable and visible on both backgrounds, in the default and in any accent color', () => {
  const looks = ['#ffee00', '#000000', '#ffffff', null].map((accentColor) =>
    mailLookOf({ name: 'Tea house', accentColor, logoUrl: null }),
  );
  for (const look of [plainLook, ...looks]) {
    for (const scheme of ['light', 'dark'] as const) {
      const { accent, onAccent } = look[scheme];
      expect(contrastOf(accent, onAccent), `${accent} ${onAccent}`).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(accent, mailCards[scheme]), `${accent} on ${scheme}`).toBeGreaterThanOrEqual(3);
    }
  }
});

test('every text is escaped, and a mail has its language, its color scheme and one heading', () => {
  const evil = `<img src=x onerror="alert(1)">`;
  const html = mailPage({
    language: 'de',
    subject: evil,
    title: evil,
    look: { ...plainLook, name: evil },
    blocks: [
      { kind: 'text', text: `${evil}\nsecond line` },
      { kind: 'rows', rows: [{ label: evil, value: evil, url: evil, isTotal: true }] },
      { kind: 'rows', rows: [] },
      { kind: 'code', code: evil },
      { kind: 'action', action: { label: evil, url: `https://a.example/"${evil}` } },
    ],
    footer: [evil],
    footerLink: { label: evil, url: evil },
  });
  expect(html).not.toContain('<img');
  expect(html).toContain('<br>second line');
  expect(html).toContain('<html lang="de">');
  expect(html).toContain('prefers-color-scheme:dark');
  expect(html.match(/<h1/g)).toHaveLength(1);
});
